//! Tickets of the web page. Each has two halves: a cookie, and a key that only the page knows.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use http::{HeaderMap, HeaderValue};
use jsonrpsee::server::HttpRequest;
use marquetry_model::Error;

use crate::secret::{constant_time_eq, token};

/// Subprotocol of the page. The key of the ticket follows it in the same header.
const SUBPROTOCOL: &str = "marquetry";
/// Maximum number of valid tickets. If there are more, the oldest becomes invalid.
const MAX_TICKETS: usize = 64;

/// Selects the page's subprotocol, since a server has to select one of those offered.
pub(crate) fn choose_subprotocol(request: &HttpRequest, headers: &mut HeaderMap) {
    let offered = request.headers().get_all("sec-websocket-protocol").iter().filter_map(|value| value.to_str().ok());
    if offered.flat_map(|value| value.split(',')).any(|protocol| protocol.trim() == SUBPROTOCOL) {
        headers.insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
    }
}

/// All valid tickets.
#[derive(Clone)]
pub(crate) struct Tickets {
    /// Name of the cookie, which includes the port because cookies are shared by all ports.
    cookie: Arc<str>,
    tickets: Arc<Mutex<VecDeque<(String, String)>>>,
}

impl Tickets {
    /// Creates the tickets of the server on this port.
    pub(crate) fn new(port: u16) -> Tickets {
        Tickets { cookie: format!("marquetry-{port}").into(), tickets: Arc::default() }
    }

    /// Creates a ticket. Returns the `Set-Cookie` value and the page's key.
    pub(crate) fn issue(&self) -> Result<(String, String), Error> {
        let (cookie, key) = (token()?, token()?);
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.truncate(MAX_TICKETS - 1);
        tickets.push_front((cookie.clone(), key.clone()));
        Ok((format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", self.cookie), key))
    }

    /// Returns whether a request presents both halves of a ticket.
    pub(crate) fn is_valid(&self, request: &HttpRequest) -> bool {
        let all = |name: &str| {
            let values = request.headers().get_all(name).iter().filter_map(|value| value.to_str().ok());
            values.map(str::to_owned).collect::<Vec<String>>()
        };
        let cookies = all("cookie");
        let cookie = cookies.iter().flat_map(|line| line.split(';')).find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie.as_ref()).then_some(value)
        });
        let offered = all("sec-websocket-protocol");
        let mut offered = offered.iter().flat_map(|line| line.split(',')).map(str::trim);
        let (Some(cookie), Some(SUBPROTOCOL), Some(key)) = (cookie, offered.next(), offered.next()) else {
            return false;
        };
        let tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        // Compares with all tickets, so that the time does not reveal which of them matches.
        let fits = |(known, half): &(String, String)| {
            constant_time_eq(known.as_bytes(), cookie.as_bytes()) & constant_time_eq(half.as_bytes(), key.as_bytes())
        };
        tickets.iter().filter(|ticket| fits(ticket)).count() > 0
    }
}

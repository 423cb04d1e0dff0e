//! Who opened the page: tickets of two halves, one a cookie, the other known to the page alone.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use http::{HeaderMap, HeaderValue};
use jsonrpsee::server::HttpRequest;
use marquetry_model::Error;

use crate::secret::{same, token};

/// The subprotocol that the page speaks; its half of the ticket stands behind it in the same header.
const SUBPROTOCOL: &str = "marquetry";
/// Tickets that hold at a time: for a further one the oldest goes.
const MOST: usize = 64;

/// The page offers its ticket as subprotocols, and one of them has to be chosen.
pub(crate) fn choose_subprotocol(request: &HttpRequest, headers: &mut HeaderMap) {
    let offered = request.headers().get_all("sec-websocket-protocol").iter().filter_map(|value| value.to_str().ok());
    if offered.flat_map(|value| value.split(',')).any(|protocol| protocol.trim() == SUBPROTOCOL) {
        headers.insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
    }
}

/// All that hold.
#[derive(Clone)]
pub(crate) struct Visitors {
    /// Servers on other ports have cookies of their own.
    cookie: Arc<str>,
    tickets: Arc<Mutex<VecDeque<(String, String)>>>,
}

impl Visitors {
    /// Those of the server on this port.
    pub(crate) fn new(port: u16) -> Visitors {
        Visitors { cookie: format!("marquetry-{port}").into(), tickets: Arc::default() }
    }

    /// A new ticket: what sets the cookie, and the page's half.
    pub(crate) fn admit(&self) -> Result<(String, String), Error> {
        let (cookie, key) = (token()?, token()?);
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.truncate(MOST - 1);
        tickets.push_front((cookie.clone(), key.clone()));
        Ok((format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", self.cookie), key))
    }

    /// Whether a request brings both halves of one ticket.
    pub(crate) fn know(&self, request: &HttpRequest) -> bool {
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
        // All are looked at, so that the time tells nothing.
        let fits = |(known, half): &(String, String)| {
            same(known.as_bytes(), cookie.as_bytes()) & same(half.as_bytes(), key.as_bytes())
        };
        tickets.iter().filter(|ticket| fits(ticket)).count() > 0
    }
}

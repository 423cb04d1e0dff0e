//! Macros that connect the traits of this crate with the generated exports.

include!(concat!(env!("OUT_DIR"), "/generate.rs"));

/// Exports an [`Integration`](crate::Integration) as a component of the world `editor`.
#[macro_export]
macro_rules! export_editor {
    ($integration:ty) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, reason = "generated code")]
        mod __component {
            use super::*;
            $crate::__generate_editor!();
            use exports::marquetry::editor::integration;

            struct Component;
            struct AttachedSession(std::cell::RefCell<<$integration as $crate::Integration>::Session>);

            impl integration::Guest for Component {
                type Session = AttachedSession;
                fn describe() -> $crate::Description {
                    <$integration as $crate::Integration>::describe()
                }
            }

            impl integration::GuestSession for AttachedSession {
                fn new(settings: String) -> Self {
                    AttachedSession(std::cell::RefCell::new(<$integration as $crate::Integration>::attach(&settings)))
                }
                fn handle(&self, event: $crate::Event) -> Vec<$crate::Action> {
                    $crate::Session::handle(&mut *self.0.borrow_mut(), event)
                }
            }

            export!(Component);
        }
    };
}

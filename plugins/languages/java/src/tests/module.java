/** A module. */
@Deprecated
open module shop.cart {
    requires transitive java.sql;
    exports shop.cart to shop.app, shop.test;
    opens shop.cart;
    uses shop.Service;
    provides shop.Service with shop.cart.Impl;
}

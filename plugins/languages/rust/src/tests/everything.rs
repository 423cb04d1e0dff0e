//! A text with every kind of node.
#![allow(dead_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
use std::{fmt::{self, Display}, io::Read as _, *};
pub(in crate::a) use self::x;

#[cfg(all(test, feature = "a", not(b)))]
#[path = "b.rs"]
#[unsafe(no_mangle)]
#[derive(Clone)]
pub(crate) struct Point<'a, T: Display + ?Sized = u8, const N: usize = 3>
where
    T: 'a,
    for<'b> &'b T: Copy,
{
    pub x: &'a mut T,
    y: [u8; N],
}

struct Pair(pub u8, Vec<u8>);
struct Unit;
union U { a: u8 }
enum Shape { Circle { r: f64 }, Square(f64), Empty = 1 }
const MAX: usize = 1 + 2 * -3;
const _: () = ();
static mut NAME: &str = "n";
type Pairs = (u8, [u8], (u8), !, _, *const u8, dyn A + B, impl A, fn(u8) -> u8, for<'a> fn(&'a u8), m!());
macro_rules! twice { ($a:expr) => { $a + $a }; }
macro later($a:expr) { $a }
mod inner { pub fn f() { fn g() {} } }
mod other;
unsafe extern "C" { fn c(x: u8, ...); static D: u8; }
trait Area<A>: Sized { type Unit: Copy; const K: u8; fn area(&self) -> f64; fn two(self: Box<Self>) {} }
impl<T> Area<{ 1 }> for Point<'_, T, 3> { type Unit = u8; fn area(&self) -> f64 { self.x } }
impl Iterator<Item = u8> for <A as B>::C {}
fn captures<'a>() -> impl Sized + use<'a> {}
fn paren(f: impl Fn(u8) -> u8) {}
m!(a, b);
async fn takes(a: u8, mut b: (u8, u8), Pair(c, ..): Pair) -> u8 {
    #![allow(unused)]
    let Some(x) = y else { return };
    let [a, .., b @ 1..=2] = c;
    let Point { x, y: ref z, .. } = p;
    let &q = &(r);
    let (a, (b)) = c;
    let (1 | 2) = s;
    let const { 1 } = v;
    let m!() = w;
    let a::B = c;
    let _: u8 = 'a' as u8;
    'outer: loop { break 'outer 1; }
    while let Some(a) = b { continue; }
    for i in 0..10 { i += 1; }
    if a && let Some(b) = c { d } else { e }
    match a { Some(x) if x > 1 => x, _ => 0, }
    let f = move |a: u8, b| a + b;
    f(a)[0].b.c::<u8>(d)?.await;
    Point { x: 1, y, ..z };
    [1; 2];
    (1, "a", b'c', 1.0);
    (_, a) = b;
    !a;
    builtin # offset_of(A, b);
    macro_call!(a "b" 1);
    unsafe { *a }
}

//! The rows of the scheduler's specification, each shown by events and counters of a real program.
//!
//! `tests/ROWS.md` says for every row which test shows it; many are programs with recorded output (`tests/recorded.rs`) or
//! scenarios of a scripted machine (`tests/sched_suite`). Here are those whose check is what a trace says. No test looks at a
//! clock: what is asserted are orders, counts and who did what.

mod blocking;
mod docs;
mod finding;
mod limits;
mod model;
mod parts;
mod queues;
mod run;
mod semantics;
mod table;
mod user;

//! `GODEBUG=gctrace=1`: a line for each collection, in the form of Go's (package runtime, "Environment Variables").
//!
//! The world stands still during the whole collection, so what Go calls sweep termination is the time until it did, the concurrent
//! phase takes no time, and mark termination is all the rest.

use std::fmt::Write;
use std::time::Duration;

const MB: u64 = 1 << 20;

/// What a line says of a collection.
#[derive(Debug)]
pub(super) struct Line {
    /// Collections so far, with this one.
    pub(super) n: u64,
    /// Since the start of the program.
    pub(super) at: Duration,
    /// All pauses so far.
    pub(super) pauses: Duration,
    /// How long it took until all others had stopped.
    pub(super) stop: Duration,
    /// How long they were stopped.
    pub(super) pause: Duration,
    /// Bytes of the heap: before, after, and at which it was due.
    pub(super) heap: (u64, u64, u64),
    /// Bytes of all stacks.
    pub(super) stacks: u64,
    /// Bytes of the variables of packages.
    pub(super) globals: u64,
    /// Number of Ps.
    pub(super) procs: u32,
    /// The program asked for it.
    pub(super) forced: bool,
}

impl Line {
    /// The line.
    pub(super) fn text(&self) -> String {
        let Line { n, at, heap: (before, after, goal), procs, .. } = *self;
        let share = 100.0 * self.pauses.as_secs_f64() / at.as_secs_f64().max(1e-9);
        let all = |d: Duration| Millis(d * procs);
        let (stop, pause) = (Millis(self.stop), Millis(self.pause));
        let (before, after, goal) = (before / MB, after / MB, goal / MB);
        let (stacks, globals) = (self.stacks / MB, self.globals / MB);
        let mut line = format!("gc {n} @{:.3}s {share:.0}%: ", at.as_secs_f64());
        let _ = write!(line, "{stop}+0+{pause} ms clock, ");
        let _ = write!(line, "{}+0/0/0+{} ms cpu, ", all(self.stop), all(self.pause));
        let _ = write!(line, "{before}->{before}->{after} MB, {goal} MB goal, ");
        let _ = write!(line, "{stacks} MB stacks, {globals} MB globals, {procs} P");
        line.push_str(if self.forced { " (forced)\n" } else { "\n" });
        line
    }
}

/// A time in milliseconds with two digits that say something, as Go shows it.
struct Millis(Duration);

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut value = self.0.as_micros();
        if value >= 10_000 {
            return write!(f, "{}", value / 1000);
        }
        if value == 0 {
            return f.write_str("0");
        }
        let mut decimals = 3;
        while value >= 100 {
            value /= 10;
            decimals -= 1;
        }
        let unit = 10u128.pow(decimals);
        write!(f, "{}.{:0width$}", value / unit, value % unit, width = decimals as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_digits() {
        let shown = |us: u64| Millis(Duration::from_micros(us)).to_string();
        let us = [0, 8, 51, 260, 1300, 9999, 10_000, 15_700];
        let want = ["0", "0.008", "0.051", "0.26", "1.3", "9.9", "10", "15"];
        assert_eq!(us.map(shown), want);
    }

    #[test]
    fn lines_are_gos() {
        let ms = Duration::from_millis;
        let line = Line {
            n: 3,
            at: ms(1234),
            pauses: ms(37),
            stop: Duration::from_micros(18),
            pause: Duration::from_micros(5300),
            heap: (9 << 20, 4 << 20, 8 << 20),
            stacks: 1 << 20,
            globals: 100,
            procs: 2,
            forced: true,
        };
        let want = "gc 3 @1.234s 3%: 0.018+0+5.3 ms clock, 0.036+0/0/0+10 ms cpu, 9->9->4 MB, 8 MB goal, 1 MB stacks, 0 MB globals, 2 P (forced)\n";
        assert_eq!(line.text(), want);
    }
}

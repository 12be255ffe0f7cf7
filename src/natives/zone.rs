//! Time zones, from the database of the system: `std/time` asks by a zone's number what holds at an instant.
//!
//! Zone 1 is the local one, looked up when it is first needed: of `TZ` in the program's environment, else of `/etc/localtime`.
//! Where time is virtual it is UTC, so that a run is the same everywhere.

use std::sync::{Mutex, OnceLock};

use tz::TimeZone;
use tz::timezone::{LocalTimeType, TransitionRule};

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("loadZone", load_zone),
    ("localName", local_name),
    ("zoneAt", zone_at),
    ("zoneBounds", zone_bounds),
    ("zoneNamed", zone_named),
];

/// Where systems keep the database.
const PLACES: [&str; 4] =
    ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"];

/// The number of the local zone; loaded ones follow.
const LOCAL: usize = 1;

/// The zones of a machine.
#[derive(Debug, Default)]
pub(super) struct Zones {
    local: OnceLock<Zone>,
    loaded: Mutex<Vec<Zone>>,
}

#[derive(Clone, Debug)]
struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    fn read(name: &str, path: &str) -> Option<Zone> {
        let zone = TimeZone::from_tz_data(&std::fs::read(path).ok()?).ok()?;
        Some(Zone { name: name.into(), zone })
    }

    /// In the folder that `ZONEINFO` names, else where systems have their zones.
    fn named(n: &Ncx<'_, '_>, name: &str) -> Option<Zone> {
        let own = variable(n, "ZONEINFO").into_iter();
        own.chain(PLACES).find_map(|place| Zone::read(name, &format!("{place}/{name}")))
    }

    /// What holds at an instant. Before the first change a zone has its first standard time.
    fn at(&self, sec: i64) -> Option<&LocalTimeType> {
        self.zone.find_local_time_type(sec).ok()
    }

    fn same(&self, a: i64, b: i64) -> bool {
        self.at(a) == self.at(b)
    }
}

/// A variable of the program's environment.
fn variable<'n>(n: &'n Ncx<'_, '_>, name: &str) -> Option<&'n str> {
    n.vm.config.env.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str())
}

/// What `TZ` means (tzset(3)): unset the system's zone, empty UTC, a path or the name of a zone.
fn local(n: &Ncx<'_, '_>) -> Zone {
    let utc = Zone { name: "UTC".into(), zone: TimeZone::utc() };
    if n.vm.config.virtual_time {
        return utc;
    }
    let found = match variable(n, "TZ").map(|v| v.strip_prefix(':').unwrap_or(v)) {
        None => Zone::read("Local", "/etc/localtime"),
        Some("" | "UTC") => None,
        Some("/etc/localtime") => Zone::read("Local", "/etc/localtime"),
        Some(path) if path.starts_with('/') => Zone::read(path, path),
        Some(name) => Zone::named(n, name),
    };
    found.unwrap_or(utc)
}

fn with<R>(n: &Ncx<'_, '_>, zone: u64, f: impl FnOnce(&Zone) -> R) -> Option<R> {
    let zones = &n.vm.natives_state.zones;
    if zone as usize == LOCAL {
        return Some(f(zones.local.get_or_init(|| local(n))));
    }
    let loaded = zones.loaded.lock().expect("never held across a panic");
    loaded.get((zone as usize).wrapping_sub(LOCAL + 1)).map(f)
}

/// `func loadZone(name string) (zone int, ok bool)`.
fn load_zone(n: &mut Ncx<'_, '_>) -> Outcome {
    let name = n.string(0);
    let mut loaded = n.vm.natives_state.zones.loaded.lock().expect("never held across a panic");
    let at = loaded.iter().position(|z| z.name == name).or_else(|| {
        loaded.push(Zone::named(n, &name)?);
        Some(loaded.len() - 1)
    });
    drop(loaded);
    n.ret(0, at.map_or(0, |i| i + LOCAL + 1) as u64);
    n.ret_bool(1, at.is_some());
    Outcome::Done
}

/// `func localName() string`.
fn local_name(n: &mut Ncx<'_, '_>) -> Outcome {
    let name = with(n, LOCAL as u64, |z| z.name.clone()).unwrap_or_default();
    n.ret_string(0, name.as_bytes());
    Outcome::Done
}

/// `func zoneAt(zone int, sec int64) (name string, offset int64, dst bool)`.
fn zone_at(n: &mut Ncx<'_, '_>) -> Outcome {
    let (zone, sec) = (n.arg(0), n.int(1));
    let found = with(n, zone, |z| {
        let t = z.at(sec)?;
        // the crate's own UTC has no name
        let name = Some(t.time_zone_designation()).filter(|d| !d.is_empty()).unwrap_or("UTC");
        Some((name.to_owned(), t.ut_offset(), t.is_dst()))
    });
    let (name, offset, dst) = found.flatten().unwrap_or(("UTC".into(), 0, false));
    n.ret_string(0, name.as_bytes());
    n.ret(1, i64::from(offset) as u64);
    n.ret_bool(2, dst);
    Outcome::Done
}

/// `func zoneBounds(zone int, sec int64) (start, end int64, hasStart, hasEnd bool)`: when the zone last changed and will next change.
fn zone_bounds(n: &mut Ncx<'_, '_>) -> Outcome {
    let (zone, sec) = (n.arg(0), n.int(1));
    let (start, end) = with(n, zone, |z| bounds(z, sec)).unwrap_or_default();
    n.ret(0, start.unwrap_or(0) as u64);
    n.ret(1, end.unwrap_or(0) as u64);
    n.ret_bool(2, start.is_some());
    n.ret_bool(3, end.is_some());
    Outcome::Done
}

/// The bounds of the period that `sec` is in: those of the zone's table, or after it of the rule that repeats every year.
fn bounds(z: &Zone, sec: i64) -> (Option<i64>, Option<i64>) {
    let table = z.zone.as_ref().transitions();
    let after = table.partition_point(|t| t.unix_leap_time() <= sec);
    let start = after.checked_sub(1).map(|i| table[i].unix_leap_time());
    if let Some(next) = table.get(after) {
        return (start, Some(next.unix_leap_time()));
    }
    if !matches!(z.zone.as_ref().extra_rule(), Some(TransitionRule::Alternate(_))) {
        return (start, None);
    }
    (change(z, sec, -1).max(start), change(z, sec, 1))
}

/// Under a rule that repeats every year: the first second of the period after `sec`, or backwards of the one that `sec` is in.
fn change(z: &Zone, sec: i64, direction: i64) -> Option<i64> {
    /// No period is shorter.
    const STEP: i64 = 6 * 3600;
    const YEAR: i64 = 366 * 86_400;
    let limit = sec + direction * YEAR;
    let mut near = sec;
    loop {
        let far = near + direction * STEP;
        if !z.same(near, far) {
            let (mut before, mut after) = if direction > 0 { (near, far) } else { (far, near) };
            while after - before > 1 {
                let mid = before + (after - before) / 2;
                if z.same(mid, after) { after = mid } else { before = mid }
            }
            return Some(after);
        }
        if (limit - far) * direction < 0 {
            return None;
        }
        near = far;
    }
}

/// `func zoneNamed(zone int, name string, sec int64) (offset int64, ok bool)`: the offset that an abbreviation means at about `sec`, which
/// is seconds on the zone's clock.
fn zone_named(n: &mut Ncx<'_, '_>) -> Outcome {
    let (zone, name, sec) = (n.arg(0), n.string(1), n.int(2));
    let found = with(n, zone, |z| {
        let types = z.zone.as_ref().local_time_types();
        let named = || types.iter().filter(|t| t.time_zone_designation() == name);
        let in_effect = named().find(|t| {
            z.at(sec - i64::from(t.ut_offset()))
                .is_some_and(|at| at.time_zone_designation() == name)
        });
        in_effect.or_else(|| named().next()).map(|t| t.ut_offset())
    });
    let offset = found.flatten();
    n.ret(0, i64::from(offset.unwrap_or(0)) as u64);
    n.ret_bool(1, offset.is_some());
    Outcome::Done
}

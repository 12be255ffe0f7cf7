//! How many CPUs there are for this process: the affinity mask, and the quota of its control group.
//!
//! As in Go: a quota is rounded up and counts as two at least, so that one goroutine in a loop does not stop all
//! others. The system is asked again at each call, since both can change while the process runs.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "one system call on a local buffer"))]

use std::path::Path;
use std::thread::available_parallelism;

/// The least that a quota counts as.
const QUOTA_MIN: u32 = 2;

/// The number of CPUs that this process may use (affinity and cgroup quota included).
#[must_use]
pub fn cpus() -> u32 {
    let mask = affinity();
    match quota(Path::new("/")) {
        Some(quota) => mask.min(quota.max(QUOTA_MIN)),
        None => mask,
    }
}

/// The CPUs in the affinity mask of the calling thread, whatever the quota.
#[must_use]
pub fn affinity() -> u32 {
    mask_bits()
        .unwrap_or_else(|| available_parallelism().map_or(1, |n| n.get().try_into().unwrap_or(1)))
}

/// The bits that are set in the mask; `None` if the system has no such mask, or more CPUs than fit.
#[cfg(target_os = "linux")]
fn mask_bits() -> Option<u32> {
    let mut mask = [0u64; 1024];
    // SAFETY: the system writes at most this many bytes, and says how many; 0 is the calling thread.
    let written =
        unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
    let bits = mask.iter().map(|word| word.count_ones()).sum();
    (written == 0 && bits > 0).then_some(bits)
}

#[cfg(not(target_os = "linux"))]
fn mask_bits() -> Option<u32> {
    None
}

/// The smallest quota of this process's control group and those above it, in whole CPUs rounded up. `root` is where
/// the file systems are mounted.
fn quota(root: &Path) -> Option<u32> {
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let (path, v2) = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let v1 = controllers.split(',').any(|c| c == "cpu");
        (v1 || controllers.is_empty()).then_some((path, !v1))
    })?;
    let base = root.join(if v2 { "sys/fs/cgroup" } else { "sys/fs/cgroup/cpu" });
    let inner = base.join(path.trim_start_matches('/'));
    inner.ancestors().take_while(|dir| dir.starts_with(&base)).filter_map(|d| quota_in(d, v2)).min()
}

fn quota_in(dir: &Path, v2: bool) -> Option<u32> {
    let number = |name: &str| std::fs::read_to_string(dir.join(name)).ok();
    let (quota, period) = if v2 {
        let text = number("cpu.max")?;
        let (quota, period) = text.trim().split_once(' ')?;
        (quota.parse::<u64>().ok()?, period.parse::<u64>().ok()?)
    } else {
        let quota = number("cpu.cfs_quota_us")?.trim().parse::<u64>().ok()?;
        (quota, number("cpu.cfs_period_us")?.trim().parse().ok()?)
    };
    u32::try_from(quota.div_ceil(period.max(1))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_counts() {
        // Without a quota the library of Rust counts the same bits.
        let of_std = u32::try_from(available_parallelism().unwrap().get()).unwrap();
        assert!(affinity() >= of_std.max(1));
        if cfg!(target_os = "linux") {
            assert_eq!(mask_bits(), Some(affinity()));
        }
    }

    #[test]
    fn the_smallest_quota_counts_rounded_up() {
        let root = std::env::temp_dir().join(format!("gmpl-cpus-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/self/cgroup", "0::/a/b\n");
        assert_eq!(quota(&root), None);
        write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
        assert_eq!(quota(&root), None);
        write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
        assert_eq!(quota(&root), Some(3));
        write("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
        assert_eq!(quota(&root), Some(1));
        write("proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/c\n");
        write("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
        write("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
        assert_eq!(quota(&root), None);
        write("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "150000\n");
        assert_eq!(quota(&root), Some(2));
        std::fs::remove_dir_all(&root).unwrap();
    }
}

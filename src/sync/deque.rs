//! The work-stealing queue under the local run queues: crossbeam-deque in its FIFO flavour.
//!
//! The owner pushes and pops; thieves hold a [`Thief`]. FIFO, not LIFO: the owner must pop the oldest, as
//! Go's ring does. The queue itself is unbounded; the limit of 256 is its owner's business (only the owner
//! pushes, so a length that it read can only have become smaller).

use crossbeam_deque::{Steal, Stealer, Worker};

/// The owner's end.
#[derive(Debug)]
pub struct Deque<T>(Worker<T>);

/// The end for everybody else.
#[derive(Debug)]
pub struct Thief<T>(Stealer<T>);

impl<T> Default for Deque<T> {
    fn default() -> Deque<T> {
        Deque(Worker::new_fifo())
    }
}

impl<T> Deque<T> {
    /// A stealing end of this queue.
    #[must_use]
    pub fn thief(&self) -> Thief<T> {
        Thief(self.0.stealer())
    }

    /// Appends at the tail.
    #[inline(always)]
    pub fn push(&self, item: T) {
        self.0.push(item);
    }

    /// Takes the oldest.
    #[inline(always)]
    pub fn pop(&self) -> Option<T> {
        self.0.pop()
    }

    /// How many there are, at most: thieves may be taking some.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to pop.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Thief<T> {
    /// How many there are, about.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to steal, about.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves half of the queue, rounded up and at most `limit`, to `into` and returns the first of them.
    pub fn steal_half(&self, into: &Deque<T>, limit: usize) -> Option<T> {
        loop {
            match self.0.steal_batch_with_limit_and_pop(&into.0, limit) {
                Steal::Success(item) => return Some(item),
                Steal::Empty => return None,
                Steal::Retry => super::spin_loop(),
            }
        }
    }
}

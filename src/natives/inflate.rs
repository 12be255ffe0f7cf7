//! The decoder of DEFLATE data (RFC 1951), which can stop after any byte of its input or output.
//!
//! It takes a byte only when it needs its bits, so the bytes behind the end of the data are left, and a fault is found at the same
//! byte as in Go. What it has made stays in a ring of 32 KiB, to which copies refer.

/// How far copies reach back.
const WINDOW: usize = 1 << 15;
/// Bits that the quick table of a code looks at.
const QUICK: u32 = 9;
/// The order in which the lengths of the code for lengths stand.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Why the decoder stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It needs input, or room for output.
    More,
    /// The data is at its end.
    End,
    /// The data is wrong.
    Corrupt,
}

/// A canonical prefix code.
#[derive(Debug, Default)]
struct Code {
    /// By the next bits: symbol and length, or length 0 if it is longer (or there is none).
    quick: Vec<(u16, u8)>,
    /// How many symbols have each length, and the symbols by length.
    count: [u16; 16],
    symbols: Vec<u16>,
    /// Every symbol has at least so many bits.
    min: u32,
}

impl Code {
    /// The code with these lengths; `None` if there is none.
    fn new(lengths: &[u8]) -> Option<Code> {
        let mut code = Code::default();
        for len in lengths {
            code.count[*len as usize] += u16::from(*len != 0);
        }
        let max = (1..16).rev().find(|n| code.count[*n] != 0).unwrap_or(0);
        if max == 0 {
            return Some(code);
        }
        code.min = (1..16).find(|n| code.count[*n as usize] != 0).unwrap_or(1);
        let mut left = 1_i32;
        for n in 1..=max {
            left = left * 2 - i32::from(code.count[n]);
            if left < 0 {
                return None;
            }
        }
        // One symbol of one bit may stand alone.
        let single = max == 1 && code.count[1] == 1;
        if left != 0 && !single {
            return None;
        }
        code.fill(lengths);
        Some(code)
    }

    fn fill(&mut self, lengths: &[u8]) {
        let mut next = [0_usize; 16];
        for n in 1..15 {
            next[n + 1] = next[n] + self.count[n] as usize;
        }
        self.symbols = vec![0; lengths.len()];
        for (symbol, len) in lengths.iter().enumerate().filter(|(_, len)| **len != 0) {
            self.symbols[next[*len as usize]] = symbol as u16;
            next[*len as usize] += 1;
        }
        self.quick = vec![(0, 0); 1 << QUICK];
        for bits in 0..1_u32 << QUICK {
            if let Some((symbol, len)) = self.slow(bits, QUICK) {
                self.quick[bits as usize] = (symbol, len as u8);
            }
        }
    }

    /// The symbol that begins `bits`, of which `have` are known, and its length.
    fn slow(&self, mut bits: u32, have: u32) -> Option<(u16, u32)> {
        let (mut value, mut first, mut index) = (0_i32, 0_i32, 0_i32);
        for len in 1..=have.min(15) {
            value |= (bits & 1) as i32;
            bits >>= 1;
            let count = i32::from(self.count[len as usize]);
            if value - count < first {
                return Some((self.symbols[(index + value - first) as usize], len));
            }
            index += count;
            first = (first + count) << 1;
            value <<= 1;
        }
        None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    StoredHead,
    Stored(usize),
    CodeHead,
    CodeLengths(usize),
    Lengths(usize),
    Repeat(usize, u16),
    Symbol,
    Length(u16),
    Distance(usize),
    DistanceBits(usize, u16),
    Copy(usize, usize),
    End,
    Corrupt,
}

/// See the head of the file.
#[derive(Debug)]
pub(super) struct Inflate {
    hold: u32,
    bits: u32,
    window: Vec<u8>,
    at: usize,
    /// How much of the window has been written.
    filled: usize,
    state: State,
    last: bool,
    literals: Code,
    distances: Code,
    lengths: [u8; 320],
    sizes: (usize, usize, usize),
    stored: Vec<u8>,
}

/// Input and output of one call.
struct Flow<'a> {
    input: &'a [u8],
    used: usize,
    out: &'a mut Vec<u8>,
    room: usize,
}

impl Inflate {
    /// A decoder; copies may refer to the end of `dictionary`.
    pub(super) fn new(dictionary: &[u8]) -> Inflate {
        let dictionary = &dictionary[dictionary.len().saturating_sub(WINDOW)..];
        let mut window = vec![0; WINDOW];
        window[..dictionary.len()].copy_from_slice(dictionary);
        Inflate {
            hold: 0,
            bits: 0,
            window,
            at: dictionary.len() % WINDOW,
            filled: dictionary.len(),
            state: State::Head,
            last: false,
            literals: Code::default(),
            distances: Code::default(),
            lengths: [0; 320],
            sizes: (0, 0, 0),
            stored: Vec::new(),
        }
    }

    /// Decodes until `room` bytes are appended to `out` or something is missing. Returns how much of the input was used.
    pub(super) fn run(&mut self, input: &[u8], out: &mut Vec<u8>, room: usize) -> (usize, Stop) {
        let mut flow = Flow { input, used: 0, room: out.len() + room, out };
        while self.step(&mut flow) {}
        let stop = if self.state == State::End {
            Stop::End
        } else if self.state == State::Corrupt {
            Stop::Corrupt
        } else {
            Stop::More
        };
        (flow.used, stop)
    }

    /// Sees to it that there are `n` bits.
    fn need(&mut self, flow: &mut Flow<'_>, n: u32) -> bool {
        while self.bits < n {
            let Some(byte) = flow.input.get(flow.used) else { return false };
            flow.used += 1;
            self.hold |= u32::from(*byte) << self.bits;
            self.bits += 8;
        }
        true
    }

    fn take(&mut self, n: u32) -> usize {
        let value = self.hold & ((1 << n) - 1);
        self.hold >>= n;
        self.bits -= n;
        value as usize
    }

    /// The next symbol of a code. `Err(true)`: there is none with these bits.
    fn symbol(&mut self, flow: &mut Flow<'_>, distance: bool) -> Result<u16, bool> {
        loop {
            let code = if distance { &self.distances } else { &self.literals };
            let min = code.min.max(1);
            let quick = code.quick.get(self.hold as usize & ((1 << QUICK) - 1));
            let found = match quick {
                Some((symbol, len)) if *len > 0 => Some((*symbol, u32::from(*len))),
                Some(_) => code.slow(self.hold, self.bits),
                None => return Err(true),
            };
            if let Some((symbol, len)) = found
                && len <= self.bits
                && self.bits >= min
            {
                self.take(len);
                return Ok(symbol);
            }
            let hopeless = self.bits >= 15 || (found.is_none() && self.no_symbol(distance));
            if hopeless && self.bits >= min {
                return Err(true);
            }
            let want = (self.bits + 1).max(min);
            if !self.need(flow, want) {
                return Err(false);
            }
        }
    }

    /// No symbol begins with the bits that are there: only in a code of a single symbol.
    fn no_symbol(&self, distance: bool) -> bool {
        let code = if distance { &self.distances } else { &self.literals };
        self.bits >= 1 && code.count[2..].iter().all(|n| *n == 0)
    }

    fn put(&mut self, flow: &mut Flow<'_>, byte: u8) {
        flow.out.push(byte);
        self.window[self.at] = byte;
        self.at = (self.at + 1) % WINDOW;
        self.filled = (self.filled + 1).min(WINDOW);
    }

    /// One step; false if it cannot be done now.
    fn step(&mut self, flow: &mut Flow<'_>) -> bool {
        match self.state {
            State::Head => self.head(flow),
            State::StoredHead => self.stored_head(flow),
            State::Stored(left) => self.copy_stored(flow, left),
            State::CodeHead => self.code_head(flow),
            State::CodeLengths(i) => self.code_length(flow, i),
            State::Lengths(i) => self.next_length(flow, i),
            State::Repeat(i, symbol) => self.repeat(flow, i, symbol),
            State::Symbol => self.literal(flow),
            State::Length(symbol) => self.length(flow, symbol),
            State::Distance(len) => self.distance(flow, len),
            State::DistanceBits(len, symbol) => self.distance_bits(flow, len, symbol),
            State::Copy(len, back) => self.copy(flow, len, back),
            State::End | State::Corrupt => false,
        }
    }

    fn go(&mut self, state: State) -> bool {
        self.state = state;
        true
    }

    fn block_ends(&mut self) -> bool {
        let state = if self.last { State::End } else { State::Head };
        self.go(state)
    }

    fn head(&mut self, flow: &mut Flow<'_>) -> bool {
        if !self.need(flow, 3) {
            return false;
        }
        self.last = self.take(1) == 1;
        match self.take(2) {
            0 => {
                (self.hold, self.bits) = (0, 0);
                self.stored.clear();
                self.go(State::StoredHead)
            }
            1 => {
                self.set_fixed();
                self.go(State::Symbol)
            }
            2 => self.go(State::CodeHead),
            _ => self.go(State::Corrupt),
        }
    }

    fn set_fixed(&mut self) {
        let mut lengths = [8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.literals = Code::new(&lengths).unwrap_or_default();
        self.distances = Code::new(&[5; 32]).unwrap_or_default();
    }

    fn stored_head(&mut self, flow: &mut Flow<'_>) -> bool {
        while self.stored.len() < 4 {
            let Some(byte) = flow.input.get(flow.used) else { return false };
            self.stored.push(*byte);
            flow.used += 1;
        }
        let word = |i: usize| u16::from_le_bytes([self.stored[i], self.stored[i + 1]]);
        let (n, inverse) = (word(0), word(2));
        if n != !inverse {
            return self.go(State::Corrupt);
        }
        self.go(State::Stored(n as usize))
    }

    fn copy_stored(&mut self, flow: &mut Flow<'_>, left: usize) -> bool {
        if left == 0 {
            return self.block_ends();
        }
        if flow.out.len() >= flow.room {
            return false;
        }
        let Some(byte) = flow.input.get(flow.used) else { return false };
        flow.used += 1;
        self.put(flow, *byte);
        self.go(State::Stored(left - 1))
    }

    fn code_head(&mut self, flow: &mut Flow<'_>) -> bool {
        if !self.need(flow, 14) {
            return false;
        }
        self.sizes = (self.take(5) + 257, self.take(5) + 1, self.take(4) + 4);
        if self.sizes.0 > 286 || self.sizes.1 > 30 {
            return self.go(State::Corrupt);
        }
        self.lengths = [0; 320];
        self.go(State::CodeLengths(0))
    }

    fn code_length(&mut self, flow: &mut Flow<'_>, i: usize) -> bool {
        if i < self.sizes.2 {
            if !self.need(flow, 3) {
                return false;
            }
            self.lengths[ORDER[i]] = self.take(3) as u8;
            return self.go(State::CodeLengths(i + 1));
        }
        let Some(code) = Code::new(&self.lengths[..19]) else { return self.go(State::Corrupt) };
        self.literals = code;
        self.lengths = [0; 320];
        self.go(State::Lengths(0))
    }

    fn next_length(&mut self, flow: &mut Flow<'_>, i: usize) -> bool {
        let (literals, distances, _) = self.sizes;
        if i == literals + distances {
            let codes = (
                Code::new(&self.lengths[..literals]),
                Code::new(&self.lengths[literals..literals + distances]),
            );
            let (Some(mut code), Some(distances)) = codes else { return self.go(State::Corrupt) };
            // Each block ends with this symbol, so at least its bits are there.
            code.min = code.min.max(u32::from(self.lengths[256]));
            (self.literals, self.distances) = (code, distances);
            return self.go(State::Symbol);
        }
        match self.symbol(flow, false) {
            Err(corrupt) => corrupt && self.go(State::Corrupt),
            Ok(symbol) if symbol < 16 => {
                self.lengths[i] = symbol as u8;
                self.go(State::Lengths(i + 1))
            }
            Ok(16) if i == 0 => self.go(State::Corrupt),
            Ok(symbol) => self.go(State::Repeat(i, symbol)),
        }
    }

    fn repeat(&mut self, flow: &mut Flow<'_>, i: usize, symbol: u16) -> bool {
        let (bits, base) = match symbol {
            16 => (2, 3),
            17 => (3, 3),
            _ => (7, 11),
        };
        if !self.need(flow, bits) {
            return false;
        }
        let n = self.take(bits) + base;
        if i + n > self.sizes.0 + self.sizes.1 {
            return self.go(State::Corrupt);
        }
        let value = if symbol == 16 { self.lengths[i - 1] } else { 0 };
        self.lengths[i..i + n].fill(value);
        self.go(State::Lengths(i + n))
    }

    fn literal(&mut self, flow: &mut Flow<'_>) -> bool {
        if flow.out.len() >= flow.room {
            return false;
        }
        match self.symbol(flow, false) {
            Err(corrupt) => corrupt && self.go(State::Corrupt),
            Ok(symbol) if symbol < 256 => {
                self.put(flow, symbol as u8);
                true
            }
            Ok(256) => self.block_ends(),
            Ok(symbol) if symbol < 286 => self.go(State::Length(symbol)),
            Ok(_) => self.go(State::Corrupt),
        }
    }

    fn length(&mut self, flow: &mut Flow<'_>, symbol: u16) -> bool {
        let k = u32::from(symbol) - 257;
        let (base, bits) = match k {
            0..=7 => (k + 3, 0),
            28 => (258, 0),
            _ => (((4 + k % 4) << (k / 4 - 1)) + 3, k / 4 - 1),
        };
        if !self.need(flow, bits) {
            return false;
        }
        let len = base as usize + self.take(bits);
        self.go(State::Distance(len))
    }

    fn distance(&mut self, flow: &mut Flow<'_>, len: usize) -> bool {
        match self.symbol(flow, true) {
            Err(corrupt) => corrupt && self.go(State::Corrupt),
            Ok(symbol) if symbol < 30 => self.go(State::DistanceBits(len, symbol)),
            Ok(_) => self.go(State::Corrupt),
        }
    }

    fn distance_bits(&mut self, flow: &mut Flow<'_>, len: usize, symbol: u16) -> bool {
        let symbol = u32::from(symbol);
        let bits = if symbol < 4 { 0 } else { symbol / 2 - 1 };
        if !self.need(flow, bits) {
            return false;
        }
        let base = if symbol < 4 { symbol + 1 } else { ((2 + symbol % 2) << bits) + 1 };
        let back = base as usize + self.take(bits);
        let state = if back > self.filled { State::Corrupt } else { State::Copy(len, back) };
        self.go(state)
    }

    fn copy(&mut self, flow: &mut Flow<'_>, len: usize, back: usize) -> bool {
        let n = len.min(flow.room.saturating_sub(flow.out.len()));
        for _ in 0..n {
            let byte = self.window[(self.at + WINDOW - back) % WINDOW];
            self.put(flow, byte);
        }
        let state = if n == len { State::Symbol } else { State::Copy(len - n, back) };
        self.go(state) && n == len
    }
}

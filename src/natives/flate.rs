//! Package compress/flate: the coders under its readers and writers. The decoder is `inflate`, the encoder is that of `miniz_oxide`.

use std::sync::Mutex;

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};

use crate::value::{mem, text};
use crate::vm::trap::Trap;

use super::inflate::{Inflate, Stop};
use super::{NativePart, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("newDecoder", new_decoder),
    ("decode", decode),
    ("newEncoder", new_encoder),
    ("encode", encode),
];

#[derive(Debug)]
struct DecoderPart(Mutex<Inflate>);

impl NativePart for DecoderPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

struct EncoderPart(Mutex<CompressorOxide>);

impl std::fmt::Debug for EncoderPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EncoderPart")
    }
}

impl NativePart for EncoderPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `func newDecoder(dict []byte) *handle`
fn new_decoder(n: &mut Ncx<'_, '_>) -> Outcome {
    let dictionary = n.byte_slice(0);
    let part = DecoderPart(Mutex::new(Inflate::new(&dictionary)));
    let h = n.new_handle(part);
    n.ret(0, h);
    Outcome::Done
}

/// `func decode(h *handle, in, out []byte) (used, made, stop int)`
fn decode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (input, out) = (n.byte_slice(1), n.arg(2));
    let Some(part) = n.handle::<DecoderPart>(0) else { return Outcome::Trap(Trap::Nil) };
    let mut made = Vec::new();
    let mut decoder = part.0.lock().expect("never held across a panic");
    let (used, stop) = decoder.run(&input, &mut made, text::len(out));
    drop(decoder);
    mem::write_bytes(text::data(out), &made);
    n.charge(used + made.len() * 4);
    n.ret(0, used as u64);
    n.ret(1, made.len() as u64);
    n.ret(
        2,
        [Stop::More, Stop::End, Stop::Corrupt].iter().position(|s| *s == stop).unwrap_or(0) as u64,
    );
    Outcome::Done
}

/// `func newEncoder(level int) *handle`; -2 is Huffman codes alone.
fn new_encoder(n: &mut Ncx<'_, '_>) -> Outcome {
    /// Raw data without a head, and the strategy of Huffman codes alone, by zlib's numbers.
    const RAW: i32 = -15;
    const HUFFMAN_ONLY: i32 = 2;
    let (level, strategy) = match n.int(0) {
        -2 => (6, HUFFMAN_ONLY),
        -1 => (6, 0),
        level => (i32::try_from(level).unwrap_or(6), 0),
    };
    let flags = create_comp_flags_from_zip_params(level, RAW, strategy);
    let h = n.new_handle(EncoderPart(Mutex::new(CompressorOxide::new(flags))));
    n.ret(0, h);
    Outcome::Done
}

/// `func encode(h *handle, in []byte, flush int) []byte`; flush: 0 not, 1 so that all can be decoded, 2 the end.
fn encode(n: &mut Ncx<'_, '_>) -> Outcome {
    let input = n.byte_slice(1);
    let flush = match n.int(2) {
        0 => TDEFLFlush::None,
        1 => TDEFLFlush::Sync,
        _ => TDEFLFlush::Finish,
    };
    let Some(part) = n.handle::<EncoderPart>(0) else { return Outcome::Trap(Trap::Nil) };
    let mut made = Vec::new();
    let mut encoder = part.0.lock().expect("never held across a panic");
    let (status, _) = compress_to_output(&mut encoder, &input, flush, |bytes| {
        made.extend_from_slice(bytes);
        true
    });
    drop(encoder);
    if matches!(status, TDEFLStatus::BadParam | TDEFLStatus::PutBufFailed) {
        return Outcome::Trap(Trap::Fatal("compress/flate: the encoder failed".into()));
    }
    n.charge(input.len() * 8);
    n.ret_bytes(0, &made);
    Outcome::Done
}

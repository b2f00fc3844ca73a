//! Taking in an answer's body, decompressed and counted as it comes.
//!
//! The invariant: never more than the limit is held, whatever the body unpacks to, and never more is
//! unpacked than the limit or the ratio lets through.

use std::io::{self, Write};

use flate2::write::{MultiGzDecoder, ZlibDecoder};
use hyper::header::{self, HeaderMap};

use super::failure::Limit;

/// Below this size no ratio is suspicious: a page of zeroes is small too.
const RATIO_FLOOR_BYTES: u64 = 64 << 10;

/// How a body is compressed (RFC 9110 §8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    Deflate,
}

impl Coding {
    /// The declared coding; none if it is one we cannot undo, or several.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
        let Some(value) = values.next() else {
            return Some(Self::Identity);
        };
        if values.next().is_some() {
            return None;
        }
        match value.to_str().ok()?.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Some(Self::Identity),
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            _ => None,
        }
    }
}

/// Why no more of a body is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Over(Limit),
    Damaged,
}

/// A body being taken in.
#[derive(Debug)]
pub(super) struct Intake(Decoder);

#[derive(Debug)]
enum Decoder {
    Identity(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
    Deflate(Box<ZlibDecoder<Sink>>),
}

impl Intake {
    /// At most `limit` bytes, and for compressed bodies at most `max_ratio` times the wire's bytes.
    pub(super) fn new(coding: Coding, limit: usize, max_ratio: u64) -> Self {
        let sink = Sink { bytes: Vec::new(), limit, wire: 0, max_ratio, over: None };
        Self(match coding {
            Coding::Identity => Decoder::Identity(Sink { max_ratio: u64::MAX, ..sink }),
            Coding::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(sink))),
            Coding::Deflate => Decoder::Deflate(Box::new(ZlibDecoder::new(sink))),
        })
    }

    /// Takes in what came over the wire.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Stop> {
        let wire = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        let sink = self.sink();
        sink.wire = sink.wire.saturating_add(wire);
        let written = match &mut self.0 {
            Decoder::Identity(sink) => sink.write_all(chunk),
            Decoder::Gzip(decoder) => decoder.write_all(chunk),
            Decoder::Deflate(decoder) => decoder.write_all(chunk),
        };
        self.judge(written)
    }

    /// Checks that the body came to its end, where its coding has one.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        if self.sink().wire == 0 {
            return Ok(());
        }
        let finished = match &mut self.0 {
            Decoder::Identity(_) => Ok(()),
            Decoder::Gzip(decoder) => decoder.try_finish(),
            Decoder::Deflate(decoder) => decoder.try_finish(),
        };
        self.judge(finished)
    }

    /// What was taken in so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sink().bytes)
    }

    fn judge(&mut self, written: io::Result<()>) -> Result<(), Stop> {
        match (self.sink().over, written) {
            (Some(limit), _) => Err(Stop::Over(limit)),
            (None, Err(_)) => Err(Stop::Damaged),
            (None, Ok(())) => Ok(()),
        }
    }

    fn sink(&mut self) -> &mut Sink {
        match &mut self.0 {
            Decoder::Identity(sink) => sink,
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Deflate(decoder) => decoder.get_mut(),
        }
    }
}

/// Where decompressed bytes go. It fails at the limit, which stops the decoder.
#[derive(Debug)]
struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    wire: u64,
    max_ratio: u64,
    over: Option<Limit>,
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.over.is_some() {
            return Err(io::Error::other("over the limit"));
        }
        let room = self.limit.saturating_sub(self.bytes.len());
        let fits = buf.len().min(room);
        self.bytes.extend_from_slice(buf.get(..fits).unwrap_or_default());
        let size = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        if fits < buf.len() {
            self.over = Some(Limit::Body);
        } else if size > RATIO_FLOOR_BYTES && size > self.wire.saturating_mul(self.max_ratio) {
            self.over = Some(Limit::Ratio);
        }
        if self.over.is_some() { Err(io::Error::other("over the limit")) } else { Ok(fits) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn take_in(coding: Coding, wire: &[u8], step: usize, limit: usize) -> Result<Vec<u8>, Stop> {
        let mut intake = Intake::new(coding, limit, 100);
        for chunk in wire.chunks(step.max(1)) {
            intake.push(chunk)?;
        }
        intake.finish()?;
        Ok(intake.take())
    }

    #[test]
    fn the_limit_is_exact_and_the_ratio_stops_sooner() {
        let noise: Vec<u8> =
            (0..10_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        for (coding, wire) in [(Coding::Identity, noise.clone()), (Coding::Gzip, gzip(&noise))] {
            assert_eq!(take_in(coding, &wire, 777, noise.len()).unwrap(), noise);
            let short = take_in(coding, &wire, 777, noise.len() - 1);
            assert_eq!(short, Err(Stop::Over(Limit::Body)));
        }
        let zeroes = gzip(&vec![0; 4 << 20]);
        let stopped = take_in(Coding::Gzip, &zeroes, 4096, 64 << 20);
        assert_eq!(stopped, Err(Stop::Over(Limit::Ratio)));
    }

    #[test]
    fn damaged_and_cut_bodies_are_said_to_be() {
        let whole = gzip(b"hello, hello, hello");
        for end in 1..whole.len() {
            let cut = take_in(Coding::Gzip, &whole[..end], 5, 1 << 20);
            assert_eq!(cut, Err(Stop::Damaged), "cut at {end} of {}", whole.len());
        }
        assert_eq!(take_in(Coding::Gzip, b"{\"plain\": 1}", 5, 1 << 20), Err(Stop::Damaged));
        assert_eq!(take_in(Coding::Gzip, b"", 5, 1 << 20), Ok(Vec::new()));
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(take_in(Coding::Gzip, &two, 3, 1 << 20).unwrap(), b"one two");
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"zlib").unwrap();
        let zlib = encoder.finish().unwrap();
        assert_eq!(take_in(Coding::Deflate, &zlib, 3, 1 << 20).unwrap(), b"zlib");
    }

    #[test]
    fn only_one_known_coding_is_undone() {
        let coding = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("content-encoding", HeaderValue::from_static(value));
            }
            Coding::of(&headers)
        };
        assert_eq!(coding(&[]), Some(Coding::Identity));
        assert_eq!(coding(&["GZip"]), Some(Coding::Gzip));
        for other in [&["br"][..], &["gzip, gzip"], &["gzip", "gzip"], &["zstd"]] {
            assert_eq!(coding(other), None, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_out(body: Vec<u8>, step in 1usize..50) {
            let out = take_in(Coding::Gzip, &gzip(&body), step, 1 << 20);
            prop_assert_eq!(out, Ok(body));
        }

        #[test]
        fn no_noise_breaks_it(wire: Vec<u8>, step in 1usize..50) {
            for coding in [Coding::Gzip, Coding::Deflate] {
                let _ = take_in(coding, &wire, step, 1 << 10);
            }
        }
    }
}

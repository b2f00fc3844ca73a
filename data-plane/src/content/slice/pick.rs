//! Taking some of many pieces under a cap.

use super::{Error, Range, Sliced, Unit, cut};

/// The asked range, cut to what there is.
pub(super) fn bounds(
    unit: Unit,
    asked: (usize, Option<usize>),
    of: usize,
) -> Result<(usize, usize), Error> {
    let (start, end) = (asked.0, asked.1.unwrap_or_else(|| of.max(asked.0)));
    if end < start {
        return Err(Error::Backwards { start, end });
    }
    if start > of {
        return Err(Error::Beyond { unit, start, of });
    }
    Ok((start, end.min(of)))
}

/// How pieces make one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// They follow one another in the text: all from the first one's start to the last one's end.
    Adjacent,
    /// As the elements of a JSON array.
    Array,
}

impl Join {
    const fn overhead(self) -> usize {
        match self {
            Self::Adjacent => 0,
            Self::Array => 1,
        }
    }
}

/// Takes the asked ones of `pieces` (places in `text`), as many whole ones as the cap allows. A
/// first piece longer than the cap is given in part, by byte.
pub(super) fn pick(
    text: &str,
    pieces: &[(usize, usize)],
    unit: Unit,
    join: Join,
    asked: (usize, Option<usize>),
    cap_bytes: usize,
) -> Result<Sliced, Error> {
    let of = pieces.len();
    let (start, asked_end) = bounds(unit, asked, of)?;
    let wanted = pieces.get(start..asked_end).unwrap_or_default();
    let mut used = join.overhead();
    let mut taken = 0;
    let mut last_end = wanted.first().map_or(0, |piece| piece.0);
    for &(piece_start, piece_end) in wanted {
        used += match join {
            Join::Adjacent => piece_end - last_end,
            Join::Array => piece_end - piece_start + join.overhead(),
        };
        if used > cap_bytes {
            break;
        }
        last_end = piece_end;
        taken += 1;
    }
    if let (0, Some(&long)) = (taken, wanted.first()) {
        return Ok(Sliced { truncated: true, ..cut(text, long, long, cap_bytes) });
    }
    let end = start + taken;
    Ok(Sliced {
        text: together(text, pieces.get(start..end).unwrap_or_default(), join),
        range: Range { unit, start, end, of },
        left_before: start,
        left_after: of - end,
        truncated: end < asked_end,
        header: None,
    })
}

fn together(text: &str, pieces: &[(usize, usize)], join: Join) -> String {
    let part = |&(start, end): &(usize, usize)| text.get(start..end).unwrap_or_default();
    match (join, pieces.first(), pieces.last()) {
        (Join::Adjacent, Some(first), Some(last)) => part(&(first.0, last.1)).to_owned(),
        (Join::Adjacent, ..) => String::new(),
        (Join::Array, ..) => format!("[{}]", pieces.iter().map(part).collect::<Vec<_>>().join(",")),
    }
}

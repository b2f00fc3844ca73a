//! What a word weighs by where it stands: the fields of a tool and the formulas of BM25F
//! (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.6).

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Name,
    Server,
    Title,
    Place,
    Argument,
    /// How what is said of the tool begins: mostly all of it in a few words.
    Lead,
    /// The rest of what is said of it.
    About,
    Description,
}

/// Number of fields.
pub(super) const FIELDS: usize = 8;
/// Most arguments of one tool that are read.
pub(super) const ARGUMENT_LIMIT: usize = 64;
/// How soon repeating a word stops counting.
const SATURATION: f32 = 1.2;

/// Weight of each field, and how much a long field is held against its words (0 to 1).
pub(super) type Weights = [(f32, f32); FIELDS];

/// A tool by all that is said of it. The weights were set on public descriptions of about 10,000
/// operations; small changes of any of them move little.
pub(super) const ALL: Weights = [
    (4.0, 0.75),
    (1.5, 0.3),
    (1.5, 0.3),
    (1.0, 0.3),
    (2.5, 0.75),
    (2.0, 0.5),
    (0.7, 1.0),
    (0.3, 0.75),
];

/// A tool by its names alone.
pub(super) const NAMES: Weights = [
    (1.0, 0.7),
    (0.3, 0.3),
    (0.0, 0.0),
    (0.0, 0.0),
    (0.0, 0.0),
    (0.0, 0.0),
    (0.0, 0.0),
    (0.0, 0.0),
];

/// A tool by its name and how what is said of it begins.
pub(super) const LEADS: Weights = [
    (1.0, 0.5),
    (0.2, 0.3),
    (0.2, 0.3),
    (0.0, 0.0),
    (0.0, 0.0),
    (1.0, 0.5),
    (0.0, 0.0),
    (0.0, 0.0),
];

impl Field {
    /// Most words of the field that are read, so that a description of any length costs no more
    /// and stuffing one with words does not help it.
    pub(super) const fn word_limit(self) -> usize {
        match self {
            Self::Name | Self::Server | Self::Title | Self::Place => 24,
            Self::Argument => 128,
            Self::Lead => 10,
            Self::About | Self::Description => 200,
        }
    }

    /// Whether the field is sentences, in which stop words say nothing.
    pub(super) const fn is_prose(self) -> bool {
        matches!(self, Self::Lead | Self::About | Self::Description)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a count of docs or words; its ratio is what is used"
)]
const fn real(count: usize) -> f32 {
    count as f32
}

/// Average length of each field over the docs that have it.
pub(super) fn averages(lengths: &[[u16; FIELDS]]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let lengths = lengths.iter().filter_map(|doc| doc.get(field));
        let (sum, filled) = lengths.fold((0_usize, 0_usize), |(sum, filled), &length| {
            (sum + usize::from(length), filled + usize::from(length > 0))
        });
        real(sum.max(1)) / real(filled.max(1))
    })
}

/// The saturated frequency of a term: 0 if no weighted field has it, always below 1.
pub(super) fn impact(
    weights: &Weights,
    counts: [u8; FIELDS],
    lengths: &[u16; FIELDS],
    averages: &[f32; FIELDS],
) -> f32 {
    let mut frequency = 0.0;
    for (((&(weight, slope), count), &length), average) in
        weights.iter().zip(counts).zip(lengths).zip(averages)
    {
        let norm = 1.0 - slope + slope * f32::from(length) / average;
        if count > 0 {
            frequency += weight * f32::from(count) / norm;
        }
    }
    frequency / (SATURATION + frequency)
}

/// How rare a term is, above 0.
pub(super) fn idf(docs_with: usize, docs: usize) -> f32 {
    let with = real(docs_with.min(docs));
    let without = real(docs) - with;
    ((without + 0.5) / (with + 0.5)).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_none_weighs_nothing() {
        assert!(idf(1, 100) > idf(50, 100));
        assert!(idf(100, 100) > 0.0);
        assert!(idf(0, 0).is_finite());
    }

    #[test]
    fn a_name_outweighs_a_title_outweighs_prose() {
        let in_field = |field: Field| {
            let mut counts = [0; FIELDS];
            counts[field as usize] = 1;
            impact(&ALL, counts, &[4; FIELDS], &[4.0; FIELDS])
        };
        assert!(in_field(Field::Name) > in_field(Field::Server));
        assert!(in_field(Field::Server) > in_field(Field::About));
        assert!(in_field(Field::About) > in_field(Field::Description));
        assert!(in_field(Field::Name) < 1.0);
    }

    #[test]
    fn words_of_a_long_field_weigh_less_and_repetition_saturates() {
        let about = |count, length| {
            let mut counts = [0; FIELDS];
            counts[Field::About as usize] = count;
            impact(&ALL, counts, &[length; FIELDS], &[20.0; FIELDS])
        };
        assert!(about(1, 10) > about(1, 200));
        assert!(about(255, 255) < 1.0);
        assert!(about(2, 20) < 2.0 * about(1, 20));
    }

    #[test]
    fn averages_leave_out_what_is_empty() {
        let averages = averages(&[[4; FIELDS], [0; FIELDS], [2; FIELDS]]);
        assert!((averages[0] - 3.0).abs() < f32::EPSILON);
        assert!(super::averages(&[])[0] > 0.0);
    }
}

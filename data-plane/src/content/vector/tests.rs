use proptest::prelude::*;

use super::rank::{Likeness, Ranking};
use super::*;

#[test]
fn what_is_no_vector_is_named() {
    assert_eq!(Vector::of(&[1.0]), Err(Unfit::Width(1)));
    assert_eq!(Vector::of(&vec![1.0; WIDTH_MAX + 1]), Err(Unfit::Width(WIDTH_MAX + 1)));
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
        assert_eq!(Vector::of(&[0.5, wrong]), Err(Unfit::Number(1)), "{wrong}");
    }
    for zero in [0.0, -0.0, 1e-300, 1e-39] {
        assert_eq!(Vector::of(&[zero; 3]), Err(Unfit::Zero), "{zero}");
    }
    assert!(Vector::of(&vec![f64::from(f32::MAX); WIDTH_MAX]).is_ok());
    assert!(Vector::of(&[1e-30, 0.0]).is_ok(), "small is not nothing");
}

#[test]
fn an_empty_slot_and_another_width_are_like_nothing() {
    let vector = Vector::of(&[3.0, 4.0]).unwrap();
    let row = vector.row(7);
    assert_eq!(row.len(), row_bytes(2));
    assert_eq!(vector.like(&row).map(|(passage, _)| passage), Some(7));
    assert_eq!(vector.like(&vec![0; row_bytes(2)]), None);
    assert_eq!(Vector::of_row(&vec![0; row_bytes(2)]), None);
    assert_eq!(vector.like(&Vector::of(&[1.0; 3]).unwrap().row(7)), None);
    for torn in 0..row.len() {
        assert_eq!(vector.like(&row[..torn]), None, "{torn}");
    }
    assert_eq!(Vector::of_row(&row), Some(vector));
}

fn exact(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(one, other) / (dot(one, one).sqrt() * dot(other, other).sqrt())
}

/// Numbers from -1 to 1, the same each time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        // xorshift64*, Vigna 2016.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        f64::from(u32::try_from(bits).unwrap()) / f64::from(1_u32 << 23) - 1.0
    }

    fn vector(&mut self, width: usize) -> Vec<f64> {
        (0..width).map(|_| self.next()).collect()
    }
}

/// How many of the ten most alike are found, where many are nearly alike: clusters, as texts are.
#[test]
fn bytes_find_what_floats_find() {
    const WIDTH: usize = 96;
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    let centres: Vec<_> = (0..20).map(|_| noise.vector(WIDTH)).collect();
    let near = |noise: &mut Noise, centre: &[f64]| -> Vec<f64> {
        centre.iter().map(|number| number + 0.6 * noise.next()).collect()
    };
    let all: Vec<Vec<f64>> = (0..2000).map(|at| near(&mut noise, &centres[at % 20])).collect();
    let rows: Vec<_> =
        all.iter().zip(1..).map(|(one, passage)| Vector::of(one).unwrap().row(passage)).collect();
    let (mut found, mut asked) = (0, 0);
    for centre in &centres {
        let query = near(&mut noise, centre);
        let mut best: Vec<_> = all.iter().zip(1_i64..).collect();
        best.sort_by(|(one, _), (other, _)| exact(&query, other).total_cmp(&exact(&query, one)));
        let best: Vec<_> = best.iter().take(10).map(|(_, passage)| *passage).collect();
        let vector = Vector::of(&query).unwrap();
        let likes = rows.iter().filter_map(|row| vector.like(row));
        let all = likes.map(|(passage, like)| Likeness { passage, like, own: true }).collect();
        let scanned = Ranking(all).take(10);
        found += scanned.iter().filter(|one| best.contains(&one.passage)).count();
        asked += best.len();
    }
    assert!(found * 100 >= asked * 95, "{found} of {asked}");
}

proptest! {
    #[test]
    fn likeness_is_the_cosine_but_for_the_rounding(
        pairs in prop::collection::vec((-1000_i32..1000, -1000_i32..1000), 2..200),
        by in prop::sample::select(&[1e-30, 1e-3, 1.0, 1e30][..]),
    ) {
        let one: Vec<f64> = pairs.iter().map(|(one, _)| f64::from(*one) * by).collect();
        let other: Vec<f64> = pairs.iter().map(|(_, other)| f64::from(*other)).collect();
        let (Ok(a), Ok(b)) = (Vector::of(&one), Vector::of(&other)) else { return Ok(()) };
        let (passage, like) = a.like(&b.row(5)).unwrap();
        prop_assert_eq!(passage, 5);
        prop_assert!((f64::from(like) - exact(&one, &other)).abs() < 0.05, "{} {}", like, exact(&one, &other));
        prop_assert!((-1.0..=1.0).contains(&like));
        prop_assert_eq!(a.like(&b.row(5)), b.like(&a.row(5)));
    }

    #[test]
    fn any_numbers_have_an_answer(numbers in prop::collection::vec(any::<f64>(), 0..50)) {
        if let Ok(vector) = Vector::of(&numbers) {
            let (_, like) = vector.like(&vector.row(1)).unwrap();
            prop_assert!(like > 0.97, "{}", like);
        }
    }
}

//! Places on a page.

/// A change of coordinates: `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix(pub(super) [f64; 6]);

/// A point, or a way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Matrix {
    pub(super) const SAME: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This change, then the other.
    pub(super) fn then(self, other: Self) -> Self {
        let here = self.0;
        let axis = |x: f64, y: f64| {
            let moved = other.point(x, y);
            let origin = other.point(0.0, 0.0);
            (moved.x - origin.x, moved.y - origin.y)
        };
        let (right, up) = (axis(here[0], here[1]), axis(here[2], here[3]));
        let place = other.point(here[4], here[5]);
        Self([right.0, right.1, up.0, up.1, place.x, place.y])
    }

    pub(super) fn point(self, x: f64, y: f64) -> Point {
        let by = self.0;
        Point { x: by[0] * x + by[2] * y + by[4], y: by[1] * x + by[3] * y + by[5] }
    }
}

impl Point {
    pub(super) fn from(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }

    pub(super) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(super) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// How far this way leads aside from the other, which is one long.
    pub(super) fn aside(self, other: Self) -> f64 {
        (self.x * other.y - self.y * other.x).abs()
    }
}

extension Duration {
    /// Whole nanoseconds, cut off; what does not fit (292 years) becomes the nearest that does.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard isFar || isOver else { return sum }
        return seconds < 0 ? .min : .max
    }
}

extension Duration {
    /// Whole nanoseconds, cut off; what does not fit (292 years) becomes the nearest that does.
    var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

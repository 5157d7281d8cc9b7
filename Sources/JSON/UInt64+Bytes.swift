extension UInt64 {
    /// The highest bit of each of the eight bytes that is zero; wrong only behind a true one.
    @inlinable package var zeroBytes: UInt64 { (self &- 0x0101_0101_0101_0101) & ~self }
}

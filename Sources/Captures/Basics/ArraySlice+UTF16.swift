extension ArraySlice<UInt8> {
    /// The bytes in pairs, as UTF-16 has them; half a pair at the end is left out.
    package func utf16Units(isBigEndian: Bool) -> [UInt16] {
        stride(from: startIndex, to: endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(self[index]), UInt16(self[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
    }
}

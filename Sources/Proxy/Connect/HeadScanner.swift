/// Looks for the empty line that ends a head (RFC 9112, section 2.1), at each byte once; lines may end in LF alone.
struct HeadScanner: Equatable {
    /// How many bytes were looked at.
    private(set) var scanned = 0

    /// How long the head is; nil while its end is not there.
    ///
    /// `bytes`: from the first of the head on, those of the calls before included.
    mutating func length(in bytes: some RandomAccessCollection<UInt8>) -> Int? {
        func byte(_ offset: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: offset)] }
        while scanned < bytes.count {
            defer { scanned += 1 }
            guard byte(scanned) == 0x0a, scanned > 0 else { continue }
            if byte(scanned - 1) == 0x0a { return scanned + 1 }
            if scanned > 1, byte(scanned - 1) == 0x0d, byte(scanned - 2) == 0x0a { return scanned + 1 }
        }
        return nil
    }
}

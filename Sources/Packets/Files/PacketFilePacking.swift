import Captures

/// How a capture file is packed, by its first bytes.
enum PacketFilePacking {
    case gzip
    /// Undone by a library of the system's that may not be there.
    case zstandard

    /// Nil for one that is not packed, or in no way that is undone here.
    init?(_ head: some Collection<UInt8>) {
        if head.starts(with: [0x1f, 0x8b]) {
            self = .gzip
        } else if head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
            self = .zstandard
        } else {
            return nil
        }
    }

    /// What undoes it; nil where there is no memory for that, or no such library.
    var decoder: (any ContentDecoder)? {
        switch self {
        case .gzip: InflateDecoder(.gzip)
        case .zstandard: ZstandardDecoder(greatestWindow: ZstandardDecoder.greatestWindowOfFiles)
        }
    }

    /// What a file that is packed so is called.
    var words: String {
        switch self {
        case .gzip: "gzip'ed"
        case .zstandard: "zstd-packed"
        }
    }
}

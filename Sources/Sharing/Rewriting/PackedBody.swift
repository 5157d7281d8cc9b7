import Captures
import JSON

/// A body in base64 that is not what its message says, but that in a content coding.
///
/// Nothing in it can be replaced as it stands, and nothing is seen of it.
enum PackedBody: Equatable {
    /// What comes out of it, which is shared in its place.
    case unpacked([UInt8])
    /// In a coding that was not undone when it was recorded: whoever reads the capture sees noise, and gets none of it.
    case unreadable

    private static let largest = 64 << 20
    private static let magics: [(bytes: [UInt8], coding: String)] = [
        ([0x1f, 0x8b], "gzip"), ([0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    ]

    /// Nil for a body that is as it should be.
    ///
    /// `object`: `content` or `postData`; `bytes`: its text, decoded.
    init?(_ object: JSONObject, _ bytes: [UInt8]) {
        if object["_authreel"]?["contentCoding"] != nil {
            self = .unreadable
            return
        }
        guard let coding = Self.magics.first(where: { bytes.starts(with: $0.bytes) })?.coding else {
            return nil
        }
        let result = ContentCoding.decode(bytes, codings: [coding], limit: Self.largest)
        self = result.remaining == nil && result.isWhole ? .unpacked(result.bytes) : .unreadable
    }
}

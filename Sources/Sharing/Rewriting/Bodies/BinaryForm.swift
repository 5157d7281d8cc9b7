import Captures

/// What a media type says of bytes that are no text.
enum BinaryForm: Equatable {
    /// Everybody has the same: fonts, programs, certificates and what is said of them.
    case open
    /// Pictures, sounds, messages in a binary form, documents as they are printed and written: what they say of somebody nobody can
    /// take out.
    case unreadable
    /// Characters; a few that do not belong there make it no other thing.
    case text
    /// It says nothing, or that there are bytes.
    case unknown

    init(_ mediaType: String) {
        let type = Body.essence(of: mediaType)
        func has(_ words: [String]) -> Bool { words.contains(where: type.containsBytes) }
        if type.hasPrefix("multipart/") || has(["font", "wasm", "ocsp", "pkix", "x509", "pkcs7"]) {
            self = .open
        } else if type.hasPrefix("image/") && !type.hasPrefix("image/svg") || type.hasPrefix("audio/")
            || type.hasPrefix("video/") || has(["protobuf", "grpc", "cbor", "msgpack", "messagepack"])
            || has(Self.documents)
        {
            self = .unreadable
        } else if type.hasPrefix("text/") || has(["json", "xml", "html", "script", "urlencoded"]) {
            self = .text
        } else {
            self = .unknown
        }
    }

    /// Some are of text alone, in which a name stands in pieces, or in the numbers of its letters.
    private static let documents = ["pdf", "officedocument", "opendocument", "msword"]
}

import JSON

/// Where the text of a body is in its entry.
struct BodyText: Sendable {
    /// The members that lead to it, where it is a string; empty where it takes more to tell.
    private let path: [StaticString]
    private let isBase64: Bool
    private let take: @Sendable (JSONValue) -> String?

    /// `take`: finds the text in the whole entry, be it where `path` leads or not.
    init(path: [StaticString], isBase64: Bool = false, take: @escaping @Sendable (JSONValue) -> String?) {
        self.path = path
        self.isBase64 = isBase64
        self.take = take
    }

    /// The body in the text of an entry that was read before: nothing but the body is made of it where that will do.
    func bytes(inEntry text: [UInt8]) -> [UInt8]? {
        if let bytes = JSONLookup.string(at: path, in: text) {
            return isBase64 ? Base64.decode(String(decoding: bytes, as: UTF8.self)) : bytes
        }
        return (try? JSONParser.parse(text)).flatMap(bytes(in:))
    }

    func bytes(in entry: JSONValue) -> [UInt8]? { take(entry).map(bytes(of:)) }

    func bytes(of text: String) -> [UInt8] { isBase64 ? Base64.decode(text) : Array(text.utf8) }
}

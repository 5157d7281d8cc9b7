package import Captures

/// Where a provider's page, or the JSON that its script asked for, sends the browser on to an app: addresses of a scheme of the
/// app's own, in a link, in the page's refresh or in a script.
///
/// Browsers hand such an address to the system and request nothing, so that what stands there is all that a capture has of it.
package struct AppLinks {
    /// Redirect URIs without their queries, as they are and with their slashes escaped.
    private let spellings: [[UInt8]]

    /// `uris`: the redirect URIs of the capture; `isWebIncluded`: whether those of the web count, which a browser does request where it
    /// is recorded.
    package init(to uris: [String], isWebIncluded: Bool = false) {
        var known: Set<[UInt8]> = []
        for uri in uris {
            let url = RecordedURL(uri)
            // A device without a browser shows the code (`urn:ietf:wg:oauth:2.0:oob`).
            guard isWebIncluded || !url.isWeb, let scheme = url.scheme, scheme.lowercased() != "urn" else {
                continue
            }
            let text = Array(url.withoutQuery.utf8)
            guard text.count <= Self.longestURI, known.count < Self.mostSpellings else { continue }
            // Android's other way of writing the same address.
            let intent = Array("intent".utf8) + text.dropFirst(scheme.utf8.count)
            for text in url.isWeb ? [text] : [text, intent] {
                known.insert(text)
                known.insert(text.flatMap { $0 == Self.slash ? [Self.backslash, $0] : [$0] })
            }
        }
        spellings = known.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The addresses that an answer has of apps, with a query or a fragment; in no order.
    package func addresses(in exchange: Exchange) -> [RecordedURL] {
        guard !spellings.isEmpty, exchange.response?.location == nil, let body = exchange.response?.body,
            (body.size ?? 0) < Self.largest, body.isPage || body.essence?.hasSuffix("json") == true,
            let bytes = body.bytes
        else { return [] }
        return spellings.flatMap { Self.addresses(beginning: $0, in: bytes) }
    }

    /// Whether a page has nothing for its user to press or to fill in, nor a script that may make such or waits for somebody, so that
    /// it goes on by itself.
    static func isLeftAlone(_ exchange: Exchange) -> Bool {
        guard let body = exchange.response?.body, body.isPage, (body.size ?? 0) < largest,
            let page = body.bytes
        else { return false }
        return !HTMLForm.isAnythingToDo(in: page) && !HTMLScripts.areLoaded(by: page)
            && !more.contains { page.firstRange(of: $0) != nil }
    }

    /// What scripts make elements with, have them pressed by, and ask a server by for what is to come; a module loads others.
    private static let more = [
        "innerHTML", "insertAdjacent", "createElement", "document.write", "attachShadow", "onclick",
        "\"click\"",
        "'click'", "fetch(", "XMLHttpRequest", "EventSource", "WebSocket", "import ", "import(",
    ].map { Array($0.utf8) }

    private static func addresses(beginning start: [UInt8], in bytes: [UInt8]) -> [RecordedURL] {
        var found: [RecordedURL] = []
        var rest = bytes[...]
        var read = 0
        while read < most, let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            guard let next = rest.first, next == question || next == hash else { continue }
            read += 1
            let query = text(of: rest.prefix(longest))
            // What a script is still to fill in is no answer.
            guard !query.containsBytes("${"), !query.containsBytes("{{") else { continue }
            let address = start.filter { $0 != backslash }
            let url = RecordedURL(String(decoding: address, as: UTF8.self) + query)
            found.append(url.openedByIntent ?? url)
        }
        return found
    }

    /// What stands up to the end of the address, with the escapes of scripts and of HTML undone.
    private static func text(of bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if ends.contains(byte) || byte <= 0x20 { break }
            guard byte == backslash else {
                result.append(byte)
                index += 1
                continue
            }
            // Of a string in a string, whose end is escaped as well, nothing more belongs to the address.
            guard let (escaped, length) = ScriptEscape.byte(at: bytes[index...]) else { break }
            result.append(escaped)
            index += length
        }
        return HTMLText.decode(result)
    }

    private static let slash: UInt8 = 0x2f
    private static let backslash: UInt8 = 0x5c
    private static let question: UInt8 = 0x3f
    private static let hash: UInt8 = 0x23
    /// Quotation marks of all kinds, and what is a tag's.
    private static let ends: Set<UInt8> = [0x22, 0x27, 0x60, 0x3c, 0x3e]
    /// In bytes: of a body, and of a query with a signed answer in it.
    private static let largest = 1 << 20
    private static let longest = 1 << 14
    /// A page has one address in several places, be it as an answer or as what its script is to fill in.
    private static let most = 16
    /// Each is looked for in every page.
    private static let mostSpellings = 64
    private static let longestURI = 1 << 11
}

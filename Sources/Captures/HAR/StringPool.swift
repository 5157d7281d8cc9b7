/// Keeps one copy of texts that entries repeat: header names, cookies, user agents, media types.
///
/// Bounded, so that a file of ever new texts costs no more than without it.
struct StringPool {
    private var texts: Set<String> = []
    private static let maximumTexts = 1 << 14
    /// Up to 15 bytes stand in the `String` itself; very long ones are seldom the same.
    private static let lengths = 16...1024

    mutating func share(_ exchange: inout Exchange) {
        share(&exchange.request.headers)
        share(&exchange.request.body)
        guard var response = exchange.response else { return }
        exchange.response = nil
        share(&response.headers)
        share(&response.body)
        exchange.response = response
    }

    private mutating func share(_ headers: inout HeaderFields) {
        for index in headers.fields.indices {
            share(&headers.fields[index].name)
            share(&headers.fields[index].value)
        }
    }

    private mutating func share(_ body: inout Body?) {
        guard let type = body?.mediaType else { return }
        var text = type
        share(&text)
        body?.mediaType = text
    }

    private mutating func share(_ text: inout String) {
        guard Self.lengths.contains(text.utf8.count) else { return }
        if let index = texts.firstIndex(of: text) {
            text = texts[index]
        } else if texts.count < Self.maximumTexts {
            texts.insert(text)
        }
    }
}

import JSON

/// Keeps one copy of what entries repeat: header names, cookies, user agents, media types; and of whole lists of
/// headers, which a browser sends again and again.
///
/// What stands for another is the same byte by byte (see ``ByteText``). Bounded, so that a file of ever new texts costs no more
/// than without it.
struct StringPool {
    private var texts: Set<ByteText> = []
    private var lists: Set<[HeaderFields.Field]> = []
    /// Cookies with all that a browser tells of each, which it tells with every request.
    private var details: Set<JSONValue> = []
    private static let maximumTexts = 1 << 14
    private static let maximumLists = 1 << 10
    /// Up to 15 bytes stand in the `String` itself; very long ones are seldom the same.
    private static let lengths = 16...1024

    mutating func share(_ exchange: inout Exchange) {
        share(&exchange.request.headers)
        share(&exchange.request.body)
        shareCookies(&exchange.request.foreign)
        guard var response = exchange.response else { return }
        exchange.response = nil
        share(&response.headers)
        share(&response.body)
        exchange.response = response
    }

    private mutating func share(_ headers: inout HeaderFields) {
        guard !headers.fields.isEmpty else { return }
        let known = lists.firstIndex(of: headers.fields)
        if let known, Self.areSame(lists[known], headers.fields) {
            headers.fields = lists[known]
            return
        }
        for index in headers.fields.indices {
            share(&headers.fields[index].name)
            share(&headers.fields[index].value)
        }
        if known == nil, lists.count < Self.maximumLists { lists.insert(headers.fields) }
    }

    private mutating func shareCookies(_ foreign: inout JSONObject) {
        guard let index = foreign.members.lastIndex(where: { $0.name == "cookies" }) else { return }
        if let known = details.firstIndex(of: foreign.members[index].value) {
            if Self.areSame(details[known], foreign.members[index].value) {
                foreign.members[index].value = details[known]
            }
        } else if details.count < Self.maximumLists {
            details.insert(foreign.members[index].value)
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
        let key = ByteText(text)
        if let index = texts.firstIndex(of: key) {
            text = texts[index].text
        } else if texts.count < Self.maximumTexts {
            texts.insert(key)
        }
    }

    // MARK: - By their bytes

    /// Of lists that are equal.
    private static func areSame(_ left: [HeaderFields.Field], _ right: [HeaderFields.Field]) -> Bool {
        zip(left, right).allSatisfy { $0.name.equalsBytes(of: $1.name) && $0.value.equalsBytes(of: $1.value) }
    }

    /// Of values that are equal.
    private static func areSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.equalsBytes(of: right)
        case (.array(let left), .array(let right)): zip(left, right).allSatisfy(areSame)
        case (.object(let left), .object(let right)):
            zip(left.members, right.members).allSatisfy {
                $0.name.equalsBytes(of: $1.name) && areSame($0.value, $1.value)
            }
        default: true
        }
    }
}

/// A form found in an HTML page: what a login page sends back.
///
/// Read by a tokenizer that never fails and takes linear time; pages are hostile. Scripts and comments are
/// skipped.
package struct HTMLForm: Sendable, Hashable {
    /// A field that would be submitted.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String
        /// `hidden`, `text`, `password`, `submit`, … in lower case; `text` where none is written.
        package var type: String
    }

    /// As written; empty where there is none (then the page's own URL).
    package var action: String
    /// `get` or `post`.
    package var method: String
    package var fields: [Field]
    /// Where its buttons send it instead (`formaction`), as written and in order.
    package var buttonActions: [String] = []

    /// Whether somebody signs in by it: it has a field for a name and one for a password.
    package var isSignIn: Bool {
        fields.contains { ["text", "email", "tel"].contains($0.type) }
            && fields.lazy.filter { $0.type == "password" }.count == 1
    }

    /// The forms of a page, in order.
    ///
    /// Fields outside of any form are dropped, but for those that name theirs (HTML, section 4.10.18.3), which come last in it.
    package static func all(in page: [UInt8]) -> [HTMLForm] {
        guard HTMLTags.isBegun("form", in: page) else { return [] }
        var forms: [HTMLForm] = []
        var numbers: [String: Int] = [:]
        var elsewhere: [(form: String, tag: HTMLTags.Tag)] = []
        var isInside = false
        var tags = HTMLTags(page, of: ["form", "/form", "input", "button", "select", "textarea"])
        while var tag = tags.next() {
            // Its value is what stands in it (HTML, section 4.10.11).
            if tag.name == "textarea" { tag.value = tags.text(of: "textarea") }
            switch tag.name {
            case "form":
                if let id = tag.attribute("id"), numbers[id] == nil { numbers[id] = forms.count }
                forms.append(
                    HTMLForm(
                        action: tag.attribute("action") ?? "",
                        method: (tag.attribute("method") ?? "get").lowercased() == "post" ? "post" : "get",
                        fields: []
                    )
                )
                isInside = true
            case "/form": isInside = false
            default:
                if let form = tag.attribute("form") {
                    elsewhere.append((form, tag))
                } else if isInside {
                    forms[forms.count - 1].add(tag)
                }
            }
        }
        for (form, tag) in elsewhere {
            if let number = numbers[form] { forms[number].add(tag) }
        }
        return forms
    }

    /// Adds the field of a tag, and where it sends the form.
    private mutating func add(_ tag: HTMLTags.Tag) {
        if let action = tag.attribute("formaction"), !action.isEmpty,
            buttonActions.count < Self.mostButtonActions
        {
            buttonActions.append(action)
        }
        guard let name = tag.attribute("name"), !name.isEmpty else { return }
        let type = tag.attribute("type")?.lowercased() ?? (tag.name == "button" ? "submit" : "text")
        fields.append(Field(name: name, value: tag.value ?? "", type: type))
    }

    private static let mostButtonActions = 50

    /// The target of `<meta http-equiv="refresh" content="0; url=…">`; nil without one.
    package static func refreshTarget(in page: [UInt8]) -> String? {
        for tag in HTMLTags(page, of: ["meta"]) {
            guard tag.attribute("http-equiv")?.lowercased() == "refresh",
                let target = tag.attribute("content").flatMap({ refreshTarget(of: Array($0.utf8)) })
            else { continue }
            return target
        }
        return nil
    }

    /// What stands behind the seconds of a refresh, after a semicolon, a comma or blanks, with `url=` before it or without.
    private static func refreshTarget(of content: [UInt8]) -> String? {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
        let time = content.drop(while: isBlank)
        let separator = time.drop { $0.isASCIIDigit || $0 == 0x2e }
        guard separator.startIndex > time.startIndex, let mark = separator.first,
            mark == 0x3b || mark == 0x2c || isBlank(mark)
        else { return nil }
        var rest = separator.drop(while: isBlank)
        if rest.first == 0x3b || rest.first == 0x2c { rest = rest.dropFirst() }
        rest = rest.drop(while: isBlank)
        if rest.prefix(3).map(\.asciiLowercased).elementsEqual("url".utf8) {
            let named = rest.dropFirst(3).drop(while: isBlank)
            if named.first == 0x3d { rest = named.dropFirst().drop(while: isBlank) }
        }
        if let quote = rest.first, quote == 0x22 || quote == 0x27 {
            rest = rest.dropFirst().prefix { $0 != quote }
        }
        return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
    }

    /// What the addresses of a page are resolved against, where it says so (`<base href>`); nil without.
    package static func base(in page: [UInt8]) -> String? {
        guard HTMLTags.isBegun("base", in: page) else { return nil }
        return HTMLTags(page, of: ["base"]).lazy.compactMap { $0.attribute("href") }.first
    }

    /// Whether a page has anything to press, to follow or to fill in, or another page in it that may: whoever sees another one can
    /// only wait.
    package static func isAnythingToDo(in page: [UInt8]) -> Bool {
        var tags = HTMLTags(
            page,
            of: ["a", "button", "form", "frame", "iframe", "input", "select", "textarea"]
        )
        return tags.next() != nil
    }

    /// Whether a page has something to fill in or to agree to: a field that a person sees, or a button of a form that is posted.
    ///
    /// Fields outside of any form count, scripts read them; choices of a language and fields to search with do not.
    package static func isAsking(in page: [UInt8]) -> Bool {
        var isPosting = false
        for tag in HTMLTags(page, of: ["form", "/form", "input", "button", "textarea"]) {
            switch tag.name {
            case "form": isPosting = tag.attribute("method")?.lowercased() == "post"
            case "/form": isPosting = false
            case "button": if isPosting { return true }
            case "textarea": return true
            default:
                switch tag.attribute("type")?.lowercased() ?? "text" {
                case "hidden", "search", "reset": continue
                case "submit", "button", "image": if isPosting { return true }
                default: return true
                }
            }
        }
        return false
    }
}

// MARK: - Of text

extension HTMLForm {
    /// See ``all(in:)-([UInt8])``.
    package static func all(in html: String) -> [HTMLForm] { all(in: Array(html.utf8)) }

    /// See ``refreshTarget(in:)-([UInt8])``.
    package static func refreshTarget(in html: String) -> String? { refreshTarget(in: Array(html.utf8)) }

    /// See ``base(in:)-([UInt8])``.
    package static func base(in html: String) -> String? { base(in: Array(html.utf8)) }
}

/// The words in the box by which a page tells a person that something went wrong: what stands around it (menus, help, messages
/// that a script shows when they are needed) says nothing of this request.
package enum HTMLAlert {
    /// The words of the first element that is an alert by its role (WAI-ARIA 1.2) or an error by its class, has words and is
    /// not hidden itself, nor for browsers without scripts, nor for a script to show later; nil where there is none.
    package static func first(in page: [UInt8]) -> String? { first(in: page, where: isAlert) }

    /// The same of a box that warns: apps show there what they call a warning, be it that nobody was signed in.
    package static func firstWarning(in page: [UInt8]) -> String? {
        first(in: page) { classes(of: $0).contains("alert-warning") }
    }

    private static func first(in page: [UInt8], where isOne: (HTMLTags.Tag) -> Bool) -> String? {
        var tags = HTMLTags(page, of: elements + ends)
        var unseenDepth = 0
        while let tag = tags.next() {
            switch tag.name {
            case "noscript", "template": unseenDepth += 1
            case "/noscript", "/template": unseenDepth = max(0, unseenDepth - 1)
            default: break
            }
            guard unseenDepth == 0, isOne(tag), !isHidden(tag) else { continue }
            let words = words(of: tag, &tags)
            // What stands in braces a script fills in, if it shows the box at all.
            if !words.isEmpty, !words.containsBytes("{{") { return words }
        }
        return nil
    }

    /// Up to the end of the element, or as much as a message has.
    private static func words(of box: HTMLTags.Tag, _ tags: inout HTMLTags) -> String {
        let name = box.name
        var parts = number(on: box).map { [$0] } ?? []
        var size = 0
        var depth = 1
        while depth > 0, size < enough {
            let words = tags.words(limit: 4 * enough)
            if !words.isEmpty { parts.append(words) }
            size += words.utf8.count
            guard let tag = tags.next() else { break }
            if let number = number(on: tag) { parts.append(number) }
            if tag.name == name { depth += 1 }
            if tag.name.dropFirst() == name, tag.name.first == "/" { depth -= 1 }
        }
        return withoutClosingSign(parts.joined(separator: " "))
    }

    /// Without the sign on the button that takes the box away.
    private static func withoutClosingSign(_ words: String) -> String {
        var rest = words[...]
        while let first = rest.first, closingSigns.contains(first) || first.isWhitespace {
            rest.removeFirst()
        }
        while let last = rest.last, closingSigns.contains(last) || last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    private static let closingSigns: Set<Character> = ["\u{d7}", "\u{2715}", "\u{2716}"]

    private static func number(on tag: HTMLTags.Tag) -> String? {
        tag.attribute(NumberedMessage.attribute.description).flatMap(NumberedMessage.text)
    }

    private static func isAlert(_ tag: HTMLTags.Tag) -> Bool {
        if tag.attribute("role")?.lowercased() == "alert" { return true }
        let classes = classes(of: tag)
        // Bootstrap's boxes have a second class that says of what kind they are.
        if classes.contains("alert"), !classes.contains(where: { $0.hasPrefix("alert-") }) { return true }
        // Semantic UI's: what is not shown yet is no "visible" one, unless the server wrote it into this page (Gitea, Forgejo).
        let isShown = ["visible", "flash-message", "flash-error"].contains(where: classes.contains)
        if classes.contains("message"), classes.contains("negative") || classes.contains("error"),
            classes.contains("ui"), isShown
        {
            return true
        }
        return classes.contains { name in
            ["error", "errors", "errorlist", "alert-danger", "alert-error"].contains(name)
                || ["error-message", "error-msg", "error-text", "errormessage", "-alert-danger"].contains(
                    where: name.hasSuffix
                ) && !name.hasPrefix("hide-")
        }
    }

    private static func isHidden(_ tag: HTMLTags.Tag) -> Bool {
        if tag.attribute("hidden") != nil || tag.attribute("aria-hidden") == "true" { return true }
        if tag.attributes.contains(where: { conditions.contains($0.name) }) { return true }
        let style = (tag.attribute("style") ?? "").lowercased().filter { $0 != " " }
        if style.containsBytes("display:none") || style.containsBytes("visibility:hidden") { return true }
        return classes(of: tag).contains {
            ["hidden", "hide", "d-none", "is-hidden", "invisible", "display-none", "collapse"].contains($0)
        }
    }

    /// On what Vue and Angular show once something has happened; Alpine has its own also on what the server wrote into the page.
    private static let conditions: Set<String> = [
        "v-if", "v-else-if", "v-else", "v-show", "ng-if", "ng-show", "data-ng-if", "data-ng-show", "*ngif",
    ]

    private static func classes(of tag: HTMLTags.Tag) -> [String] {
        (tag.attribute("class") ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// In bytes of words.
    private static let enough = 300
    private static let elements: [StaticString] = [
        "div", "p", "span", "section", "aside", "ul", "li", "td", "strong", "label", "noscript", "template",
    ]
    private static let ends: [StaticString] = [
        "/div", "/p", "/span", "/section", "/aside", "/ul", "/li", "/td", "/strong", "/label", "/noscript",
        "/template",
    ]
}

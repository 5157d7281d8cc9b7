import Captures

/// The attributes of one tag, with the places of their values.
struct HTMLAttributes {
    struct Attribute {
        /// In lower case.
        var name: String
        /// Without quotes.
        var value: Range<Int>
    }

    /// In lower case.
    private(set) var tag = ""
    /// Its name is none of HTML's, or has what none of them has: capital letters inside, an underscore.
    private(set) var isXML = false
    /// It has no end tag, nor anything inside: `<user/>`.
    private(set) var isClosed = false
    private(set) var list: [Attribute] = []
    /// Behind the tag.
    private(set) var end: Int

    /// `start`: behind the `<`.
    init(_ text: ArraySlice<UInt8>, from start: Int) {
        var index = start
        func skip(while condition: (UInt8) -> Bool) {
            while index < text.endIndex, condition(text[index]) { index += 1 }
        }
        let isName: (UInt8) -> Bool = {
            $0 > 0x20 && $0 != 0x3d && $0 != 0x3e && $0 != 0x2f && $0 != 0x22 && $0 != 0x27
        }
        skip(while: isName)
        let name = text[start..<index]
        tag = Self.name(name)
        isXML =
            name.contains(0x5f)
            || name.contains { (0x41...0x5a).contains($0) } && name.contains { (0x61...0x7a).contains($0) }
            || name.first.map { $0.isASCIILetter } ?? false && !Self.elements.contains(tag)
        while index < text.endIndex, text[index] != 0x3e {
            let begin = index
            skip { $0 <= 0x20 || $0 == 0x2f }
            let nameStart = index
            skip(while: isName)
            let name = text[nameStart..<index]
            skip { $0 <= 0x20 }
            guard index < text.endIndex, text[index] == 0x3d, !name.isEmpty else {
                // A quote or an equals sign where a name should be.
                if index == begin { index += 1 }
                continue
            }
            index += 1
            skip { $0 <= 0x20 }
            guard index < text.endIndex else { break }
            let quote = text[index]
            let valueStart: Int
            if quote == 0x22 || quote == 0x27 {
                valueStart = index + 1
                index = valueStart
                skip { $0 != quote }
            } else {
                valueStart = index
                skip { $0 > 0x20 && $0 != 0x3e }
            }
            list.append(Attribute(name: Self.name(name), value: valueStart..<index))
            if quote == 0x22 || quote == 0x27, index < text.endIndex { index += 1 }
        }
        isClosed = index > start && index < text.endIndex && text[index - 1] == 0x2f
        end = min(index + 1, text.endIndex)
    }

    func value(of first: String, or second: String, in text: ArraySlice<UInt8>) -> String? {
        let found = list.first { $0.name == first } ?? list.first { $0.name == second }
        return found.map {
            String(decoding: TextCoding.entities.decoded(text[$0.value]).bytes, as: UTF8.self)
        }
    }

    /// The elements of HTML, obsolete ones included.
    private static let elements = Set(
        WordTable.words(
            """
            a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote \
            body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl \
            dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr \
            html i iframe image img input ins kbd label legend li link main map mark marquee menu meta meter nav nobr \
            noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt \
            rtc ruby s samp script search section select slot small source span strike strong style sub summary sup svg \
            path g circle rect table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
            """
        )
    )

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(64), as: UTF8.self).lowercased()
    }
}

import Captures

/// Whose a telephone or a computer is, by what it is called: `Ada's iPhone`, `iPhone von Ada`, `iPad de Ada Lovelace`.
enum DeviceOwners {
    /// The names of owners in a text.
    ///
    /// `lower`: the text in small letters. `coding`: what it is written in.
    static func slots(in text: ArraySlice<UInt8>, _ lower: [UInt8], _ coding: TextCoding?) -> [Slot] {
        devices.flatMap { device in
            Bytes.places(behind: device, in: lower).flatMap { end in
                let start = text.startIndex + end - device.count
                let behind = text.startIndex + end
                // `Okta's phone verification` is no telephone.
                let isDevice = !common.contains(device) || !goesOn(text[behind...])
                return [isDevice ? owner(before: start, in: text) : nil, owner(behind: behind, in: text)]
            }
        }.compactMap { range in
            range.map { Slot(name: "given_name", range: $0, coding: coding, kind: .text) }
        }
    }

    /// The names of owners in what computers call themselves in their network.
    ///
    /// `Adas-MacBook-Pro.local`, `MacBook-Pro-von-Ada`; of a host in an address, which a login may be registered with, the name
    /// stays.
    static func hosts(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= SentenceSlots.longest, text.contains(0x2d) else { return [] }
        let lower = text.map(\.asciiLowercased)
        return ofHosts.flatMap { device in
            Bytes.places(behind: device, in: lower).flatMap { end in
                [
                    host(before: text.startIndex + end - device.count, in: text),
                    host(behind: text.startIndex + end, in: text),
                ]
            }
        }.compactMap { range in range.map { Slot(name: "given_name", range: $0, kind: .text) } }
    }

    private static let ofHosts = ["macbook", "iphone", "ipad", "imac", "mac-mini", "mbp"].map {
        Array($0.utf8)
    }

    /// `Adas-`: in a host's name there is no apostrophe.
    private static func host(before device: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let mark = text[..<device].suffix(2)
        guard mark.elementsEqual("s-".utf8) else { return nil }
        let run = text[..<mark.startIndex].suffix(longestName).reversed().prefix {
            isOfName($0) && $0 != 0x2d
        }
        let start = mark.startIndex - run.count
        guard run.count < longestName, isFree(text[..<start].last) else { return nil }
        let name = start..<mark.startIndex
        return own(name, in: text) ?? (isAtHome(text[start...], of: text[name]) ? name : nil)
    }

    /// Whether a host that is written in small letters is somebody's in a network at home: `adas-mbp.fritz.box`.
    private static func isAtHome(_ rest: ArraySlice<UInt8>, of owner: ArraySlice<UInt8>) -> Bool {
        let host = rest.prefix(longestHost).prefix { isOfName($0) || $0.isASCIIDigit || $0 == 0x2e }
        let own = SlotReader.string(host.last == 0x2e ? host.dropLast() : host)
        let name = SlotReader.string(owner)
        guard own.utf8.contains(0x2e), own.utf8.allSatisfy({ !(0x41...0x5a).contains($0) }),
            owner.count > 2, !nobodys.contains(name.prefix(1).uppercased() + name.dropFirst()),
            !SureWords.isCommon(name)
        else { return false }
        return !OriginOwners.names(inHost: own).isEmpty
    }

    /// Behind what it is: `-Pro-von-Ada`.
    private static func host(behind device: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let rest = text[device...].prefix(longestGap + longestName).prefix { isOfName($0) || $0.isASCIIDigit }
        let words = rest.split(separator: 0x2d)
        guard rest.first == 0x2d, let name = words.last, words.count >= 2,
            prepositions.contains(where: { words[words.count - 2].elementsEqual($0) }),
            words.dropLast(2).allSatisfy({ models.contains(SlotReader.string($0)) || isNumber($0) })
        else { return nil }
        return own(name.startIndex..<name.endIndex, in: text)
    }

    /// Whether a host's name may begin behind a byte: not within an address, or another name.
    private static func isFree(_ byte: UInt8?) -> Bool {
        byte.map { !$0.isASCIIWordByte && ![0x2d, 0x2e, 0x2f, 0x40].contains($0) } ?? true
    }

    private static let devices = [
        "iphone", "ipad", "ipod", "imac", "macbook", "mac mini", "apple watch", "galaxy", "pixel", "laptop",
        "phone", "handy",
    ].map { Array($0.utf8) }

    /// Words for any device, which are more often said of what is done by it.
    private static let common = ["phone", "laptop", "handy"].map { Array($0.utf8) }

    /// Whether another word is behind.
    private static func goesOn(_ rest: ArraySlice<UInt8>) -> Bool {
        let next = rest.prefix(2)
        return next.first == 0x20 && next.last.map(\.isASCIILetter) ?? false
    }

    /// `Ada's `: one word, with a capital in front.
    private static func owner(before device: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let before = text[..<device].suffix(longestGap)
        guard let mark = possessive.first(where: { before.suffix($0.count).elementsEqual($0) }) else {
            return nil
        }
        let end = device - mark.count
        let run = text[..<end].suffix(longestName).reversed().prefix(while: isOfName)
        guard run.count < longestName else { return nil }
        // Of a mark before it, as a quotation mark is one.
        let name = text[(end - run.count)..<end].drop { (0x80..<0xc0).contains($0) }
        return own(name.startIndex..<end, in: text)
    }

    /// ` von Ada`, behind what model it is: `iPhone 15 Pro de Ada`.
    private static func owner(behind device: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let rest = text[device...].prefix(longestGap + longestName)
        let words = rest.split(separator: 0x20).prefix(mostWords)
        guard rest.first == 0x20,
            let preposition = words.indices.dropLast().first(where: { place in
                prepositions.contains { words[place].elementsEqual($0) }
            }),
            words[..<preposition].allSatisfy({ models.contains(SlotReader.string($0)) || isNumber($0) })
        else { return nil }
        let name = words[preposition + 1].prefix(while: isOfName)
        return own(name.startIndex..<name.endIndex, in: text)
    }

    private static func own(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let name = text[range]
        guard name.count > 1, let first = name.first, (0x41...0x5a).contains(first) || first >= 0xc3,
            name.contains(where: { !(0x41...0x5a).contains($0) }),
            !nobodys.contains(SlotReader.string(name)), !SureWords.isCommon(SlotReader.string(name))
        else { return nil }
        return range
    }

    /// Whether it is the name of a maker, or of whoever has devices of many people.
    static func isNobody(_ name: String) -> Bool { nobodys.contains(name) }

    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        word.count < 4 && word.first.map(\.isASCIIDigit) ?? false
    }

    /// In UTF-8 quotation marks and dashes begin with 0xe2.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte >= 0x80 && byte != 0xc2 && byte != 0xe2 || byte == 0x2d
    }

    /// In bytes.
    private static let longestName = 40
    private static let longestGap = 32
    private static let longestHost = 64
    private static let mostWords = 6
    /// An apostrophe as it stands, in UTF-8 and in a page, with what follows.
    private static let possessive = ["'s ", "\u{2019}s ", "&#39;s ", "&#x27;s ", "&apos;s ", "&rsquo;s "].map
    {
        Array($0.utf8)
    }
    private static let prepositions = ["von", "de", "di", "van", "af", "av"].map { Array($0.utf8) }
    private static let models: Set<String> = [
        "Pro", "Max", "Plus", "Mini", "mini", "Air", "SE", "XR", "XS", "X",
    ]
    /// Makers, networks and sites with a pixel of their own, and others who have devices of many people.
    private static let nobodys: Set<String> = [
        "Apple", "Google", "Samsung", "Microsoft", "Amazon", "Nokia", "Sony", "Motorola", "Lenovo", "Dell",
        "OnePlus", "Oppo", "Fairphone", "Vodafone", "Telekom", "Orange", "Meta", "Facebook", "Instagram",
        "TikTok", "LinkedIn", "Twitter", "Pinterest", "Snapchat", "Reddit", "Let", "Today", "Everyone",
        "Somebody", "Someone", "User", "Owner", "It",
        "That",
        "What", "There", "Here", "Company", "Customer", "Employee", "Patient", "Student", "Child",
    ]
}

import Captures

/// The segments of a path, each called by those before it.
enum PathSlots {
    /// A segment of a path, or a parameter behind a semicolon (`;jsessionid=…`).
    ///
    /// `segment`: the one before it: what is drawn behind `reset-password` lets in who has it; `earlier`: the one before
    /// that, as in `/reset-password/42/…`.
    static func slot(
        of part: ArraySlice<UInt8>,
        behind segment: ArraySlice<UInt8>,
        _ earlier: ArraySlice<UInt8>
    ) -> Slot {
        if part.last == 0x29, var key = FilterSlots.slots(in: part).first {
            (key.coding, key.kind) = (.percent, .text)
            return key
        }
        if let equals = part.firstIndex(of: 0x3d), equals > part.startIndex {
            return Slot(
                name: SlotReader.string(part[..<equals]),
                range: (equals + 1)..<part.endIndex,
                coding: .percent
            )
        }
        let isTicket = isTicket(part) && (asksForTicket(segment) || asksForTicket(earlier))
        let isAccount =
            SureWords.isAccountNumber(part) && AccountNames.isSegment(SlotReader.string(segment).lowercased())
        let name: String =
            if PersonalRoles.isResource(segment), isLogicalID(part) {
                "patient"
            } else if isTicket {
                "ticket"
            } else if isAccount {
                SlotReader.accountSegment
            } else {
                PersonSegments.name(of: part, behind: segment) ?? SlotReader.pathSegment
            }
        return Slot(
            name: name,
            range: part.startIndex..<part.endIndex,
            coding: .percent,
            kind: .text
        )
    }

    /// Names the account in the address that an authenticator reads from a code: `otpauth://totp/Shop:ada?secret=…`.
    static func nameAccount(of address: ArraySlice<UInt8>, in slots: inout [Slot]) {
        guard let last = slots.indices.last, slots[last].name == SlotReader.pathSegment,
            let colon = address.firstIndex(of: 0x3a),
            enrolling.contains(SlotReader.string(address[..<colon].prefix(16)).lowercased())
        else { return }
        let label = address[slots[last].range]
        let issuer =
            label.firstIndex(of: 0x3a).map { $0 + 1 } ?? label.firstRange(of: percentColon)?.upperBound
        slots[last].name = "username"
        slots[last].range = (issuer ?? label.startIndex)..<label.endIndex
    }

    private static let enrolling = ["otpauth", "pushauth", "mfauth"]
    private static let percentColon = Array("%3A".utf8)

    /// Whether a segment is what a FHIR server calls one of its resources, and neither a page nor an operation
    /// (`_search`, `$everything`).
    private static func isLogicalID(_ part: ArraySlice<UInt8>) -> Bool {
        part.count <= 64 && part.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x2e }
            && (part.contains(where: \.isASCIIDigit) || isTicket(part))
    }

    /// Whether a segment is what a script, a style sheet or a font is called, with the hash of what is in it: the page and everybody
    /// who opens it have the same.
    static func isPartOfPage(_ part: ArraySlice<UInt8>) -> Bool {
        guard let dot = part.lastIndex(of: 0x2e), dot > part.startIndex, !part.contains(0x3d) else {
            return false
        }
        return ofPages.contains(SlotReader.string(part[(dot + 1)...].prefix(6)).lowercased())
    }

    private static let ofPages: Set<String> = ["js", "mjs", "css", "map", "woff", "woff2", "ttf", "wasm"]

    /// Letters and digits in one word, or what looks drawn.
    private static func isTicket(_ part: ArraySlice<UInt8>) -> Bool {
        guard !Drawn.looks(part) else { return true }
        guard part.count >= 6, part.allSatisfy(\.isASCIIAlphanumeric) else { return false }
        // `Kq7Zt2`; `step10` and `getUser` are words.
        guard part.count >= 8 else { return Drawn.changes(of: part) >= 3 }
        return part.contains(where: \.isASCIIDigit)
            ? part.contains { $0 >= 0x41 } : Drawn.caseChanges(of: part) * 5 > part.count * 2
    }

    private static func asksForTicket(_ segment: ArraySlice<UInt8>) -> Bool {
        guard !segment.isEmpty, segment.count <= 24 else { return false }
        return ticketed.contains(where: SecretRoles.normalized(SlotReader.string(segment)).containsBytes)
    }

    /// Whether one of the segments behind which what is drawn lets in may stand in a text, as it is written there.
    static func mayAskForTicket(_ text: ArraySlice<UInt8>) -> Bool {
        links.contains { text.firstRange(of: $0) != nil }
    }

    private static let links = ticketed.map { Array($0.utf8) }

    /// Of the links that are sent to somebody by mail.
    private static let ticketed = [
        "reset", "magic", "verify", "confirm", "activat", "invit", "unsubscribe", "recover", "setpassword",
        "join",
    ]
}

import Captures

/// Whom a search among people is for: `/users?q=ada`, `/people/search?term=Ada+Quill`, `/users?$search="Ada Quill"`.
enum PeopleSearch {
    /// The parameters of an address, with those called by what they are that name somebody.
    ///
    /// `segment`: the last one of its path; `earlier`: the one before that.
    static func named(
        _ slots: [Slot],
        behind segment: ArraySlice<UInt8>,
        _ earlier: ArraySlice<UInt8>,
        in text: ArraySlice<UInt8>
    ) -> [Slot] {
        guard isOfPeople(segment) || isOfPeople(earlier) && operations.contains(lower(segment)) else {
            return slots
        }
        return slots.map { slot in
            guard terms.contains(slot.name.lowercased()), let own = term(text[slot.range]) else {
                return slot
            }
            return Slot(name: "display_name", range: own, coding: slot.coding, kind: .text)
        }
    }

    private static func isOfPeople(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count <= longest && peoples.contains(lower(segment))
    }

    /// In bytes, of a segment and of a term.
    private static let longest = 64

    private static let peoples = PersonSegments.ofPeople.union([
        "contacts", "customers", "employees", "patients", "persons",
    ])
    private static let operations: Set<String> = [
        "autocomplete", "find", "lookup", "query", "search", "suggest", "typeahead",
    ]
    private static let terms: Set<String> = [
        "$search", "keyword", "keywords", "name", "q", "query", "search", "searchterm", "term",
    ]

    private static func lower(_ segment: ArraySlice<UInt8>) -> String {
        SlotReader.string(segment.prefix(longest)).lowercased()
    }

    /// What a search is for, without the marks around it; nil where that is no name.
    private static func term(_ value: ArraySlice<UInt8>) -> Range<Int>? {
        guard value.count <= longest else { return nil }
        var own = value
        for mark in around {
            if own.starts(with: mark) { own = own.dropFirst(mark.count) }
            if own.suffix(mark.count).elementsEqual(mark) { own = own.dropLast(mark.count) }
        }
        let text = TextCoding.form.decoded(own).bytes
        guard text.count >= 2, text.contains(where: { $0.isASCIILetter || $0 >= 0x80 }),
            text.allSatisfy({ $0.isASCIIAlphanumeric || $0 >= 0x80 || marks.contains($0) }),
            PrintedSlots.isMeant(text[...], of: "q"), !PersonSegments.isOfPages(text[...])
        else { return nil }
        return own.startIndex..<own.endIndex
    }

    /// Quotation marks and what stands for any text, as they are and percent-encoded.
    private static let around = ["%22", "\"", "*", "%2A", "%25"].map { Array($0.utf8) }
    private static let marks = Set(" '-._".utf8)
}

import Captures

/// What WordPress has of somebody for addresses, which is what they sign in with: the `slug` before their pictures,
/// `"slug": "ada", "avatar_urls": {…}`; that of a post has none behind it.
enum AuthorSlugs {
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: pictures) != nil else { return slots }
        return slots.map { slot in
            let behind = text[slot.range.upperBound...].dropFirst().prefix(longest)
                .drop { $0 <= 0x20 || $0 == 0x2c }
            guard slot.name == "slug", behind.starts(with: pictures) else { return slot }
            var slot = slot
            slot.name = UserHandles.name
            return slot
        }
    }

    private static let pictures = Array(#""avatar_urls""#.utf8)
    /// In bytes, with what stands between.
    private static let longest = 64
}

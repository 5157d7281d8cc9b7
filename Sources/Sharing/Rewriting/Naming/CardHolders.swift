import Captures

/// Whose a payment card is, where its document says so in a word that has other meanings elsewhere:
/// `{"pan": "4111…", "expiry": "12/28", "holder": "ADA QUILL"}`.
enum CardHolders {
    /// The slots, with the holder of a card called by what it is.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard slots.contains(where: { isHolder($0, in: text) }) else { return slots }
        let cards = Set(slots.lazy.filter { marks.contains(SecretRoles.normalized($0.name)) }.map(\.object))
        return slots.map { slot in
            guard isHolder(slot, in: text), cards.contains(slot.object) else { return slot }
            var slot = slot
            slot.name = "cardholder"
            return slot
        }
    }

    /// A wallet's `holder` is an identifier (Verifiable Credentials Data Model 2.0, section 4.13), and has no space in it.
    private static func isHolder(_ slot: Slot, in text: ArraySlice<UInt8>) -> Bool {
        !slot.isNumber && slot.name.utf8.count == 6 && slot.name.lowercased() == "holder"
            && slot.range.count <= longest
            && text[slot.range].contains(0x20)
    }

    /// In bytes.
    private static let longest = 64

    /// What only cards have.
    private static let marks: Set<String> = [
        "cardnumber", "cvc", "cvv", "expirationmonth", "expiry", "expirydate", "expirymonth", "expmonth",
        "last4", "pan",
    ]
}

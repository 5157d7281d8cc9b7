/// What somebody typed into a field of which nothing says what it is for, as recorders of sessions and frameworks send each
/// change of one: `{"source": 5, "text": "…", "id": 12}` of rrweb, `{"componentId": 12, "fieldValue": "…"}` of Blazor.
struct TypedTexts {
    /// What such a text is called from then on.
    static let name = "(typed)"

    private var text: Int?
    private var value: Int?
    private var isInput = false
    private var isField = false
    private var isOfComponent = false

    /// The slot that is such a text, of those that were met so far; nil for none.
    ///
    /// `member`: in small letters.
    mutating func slot(with slot: Int, called member: String, saying told: ArraySlice<UInt8>) -> Int? {
        switch member {
        case "source": isInput = told.elementsEqual("5".utf8)
        // Messages have a source and a text, too, and are of no field.
        case "id": isField = true
        case "text": text = slot
        case "componentid": isOfComponent = true
        case "fieldvalue": value = slot
        default: return nil
        }
        if isInput, isField, let own = text {
            text = nil
            return own
        }
        guard isOfComponent, let own = value else { return nil }
        value = nil
        return own
    }
}

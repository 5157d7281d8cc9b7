import Captures

/// What a callback of ForgeRock AM asks for: a `NameCallback` for who signs in, a `PasswordCallback` for a password; of a
/// `StringAttributeInputCallback` one element of `output` says which attribute it is, another one what is known of it, and `input`
/// what somebody typed: `"output": [{"name": "name", "value": "givenName"}, …, {"name": "value", "value": "Ada"}], "input": [{"name": "IDToken1", …}]`.
///
/// Of a `HiddenValueCallback` the `id` behind the value says what that is, and stands in `input` until something is typed.
enum CallbackAttributes {
    /// The slots, of which those that hold an attribute are called by it where it says something personal.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: callback) != nil else { return slots }
        var slots = slots
        var attribute: String?
        var hidden = Hidden()
        for place in slots.indices where !slots[place].isNumber {
            let value = text[slots[place].range]
            switch slots[place].name {
            case "name": attribute = personalName(value)
            case "id" where hidden.isOne:
                (hidden.id, attribute) = (value, personalName(value))
                if let attribute, let own = hidden.value { slots[own].name = attribute }
            case let name where isInput(name) && hidden.id.map({ $0.elementsEqual(value) }) ?? false:
                slots[place].name = ""
            case "value",
                _ where isInput(slots[place].name):
                hidden.value = place
                if let attribute { slots[place].name = attribute }
            default:
                guard Bytes.hasSuffix(value, "Callback") else { continue }
                attribute = inputs[SlotReader.string(value)]
                hidden = Hidden(isOne: value.elementsEqual("HiddenValueCallback".utf8))
            }
        }
        return slots
    }

    /// What is known of a callback whose field is not shown.
    private struct Hidden {
        var isOne = false
        /// The slot of its value.
        var value: Int?
        var id: ArraySlice<UInt8>?
    }

    private static let callback = Array("Callback\"".utf8)
    /// What is typed, by the type of the callback.
    private static let inputs = [
        "NameCallback": "username", "ValidatedCreateUsernameCallback": "username",
        "PasswordCallback": "password", "ValidatedCreatePasswordCallback": "password",
    ]
    /// In bytes.
    private static let longest = 64

    private static func personalName(_ value: ArraySlice<UInt8>) -> String? {
        let own = SlotReader.string(value.prefix(longest))
        guard value.count <= longest, case .secret = SecretRoles.role(of: own, in: .claims) else {
            return nil
        }
        return own
    }

    /// Whether it is `IDToken1` and its like.
    private static func isInput(_ name: String) -> Bool {
        name.hasPrefix("IDToken") && name.utf8.dropFirst(7).allSatisfy(\.isASCIIDigit)
    }
}

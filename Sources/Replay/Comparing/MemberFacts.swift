import Captures
import Flows
import JSON
import OAuth

/// A member of a JSON object, and what is in it.
struct MemberFacts {
    let part: Place.Part
    let exchange: Int?
    var token = ""
    /// Objects inside of others that are still looked into.
    private static let depth = 3
    private static let elements = 200

    init(part: Place.Part, exchange: Int?, token: String = "") {
        self.part = part
        self.exchange = exchange
        self.token = token
    }

    /// `isOptional`: that one flow has it and the other has not is only worth knowing.
    func add(
        _ value: JSONValue,
        called name: String,
        isOptional: Bool = false,
        isSecret: Bool = false,
        depth: Int = 0,
        to list: inout FactList
    ) {
        let place = Place(exchange: exchange, part: part, name: name)
        let presence: DifferenceWeight = isOptional ? .note : .difference
        switch value {
        case .object(let object) where depth < Self.depth:
            list.add(
                place,
                .init("{…}", .presence, type: "object"),
                as: .init(token: token),
                weighing: .init(presence: presence)
            )
            for member in object.members.prefix(Self.elements) {
                add(
                    member.value,
                    called: "\(name).\(member.name)",
                    isOptional: isOptional,
                    isSecret: isSecret,
                    depth: depth + 1,
                    to: &list
                )
            }
        case .array(let array) where !array.allSatisfy(Self.isScalar):
            list.add(
                place,
                .init("\(array.count) elements", .presence, type: "array"),
                as: .init(token: token),
                weighing: .init(presence: presence)
            )
        default:
            let leaf = name.split(separator: ".").last.map(String.init) ?? name
            let (text, treatment, elements) = Self.reading(of: value, called: leaf)
            list.add(
                place,
                .init(text, treatment, type: value.typeName, elements: elements, isSecret: isSecret),
                as: .init(token: token),
                weighing: .init(
                    presence: treatment == .remark ? .note : presence,
                    value: treatment == .remark ? .note : presence
                )
            )
        }
    }

    /// How a value is compared that holds no others, or too deep ones.
    private static func reading(of value: JSONValue, called leaf: String)
        -> (text: String, treatment: Fact.Treatment, elements: [String])
    {
        let treatment = VolatileNames.treatment(of: leaf)
        let text = value.string ?? JSONWriter.text(of: value)
        switch value {
        case .array(let array):
            let elements = array.prefix(Self.elements).map { $0.string ?? JSONWriter.text(of: $0) }
            let isOne = elements.count == 1 && leaf == "aud"
            return (elements.joined(separator: " "), isOne ? .value : .set, elements)
        case .string where treatment == .set: return (text, .set, text.spaceDelimited)
        // Some name the scopes there.
        case .string where leaf == "aud" && text.utf8.contains(0x20): return (text, .set, text.spaceDelimited)
        case .string where leaf == "aud": return (text, RecordedURL(text).isWeb ? .url : treatment, [text])
        case .string where treatment == .value && RecordedURL(text).isWeb && leaf != "iss":
            return (text, .url, [])
        default: return (text, treatment, [])
        }
    }

    private static func isScalar(_ value: JSONValue) -> Bool {
        switch value {
        case .array, .object: false
        default: true
        }
    }
}

extension JSONValue {
    /// What JSON calls it.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

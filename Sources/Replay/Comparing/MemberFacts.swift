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
        let leaf = name.split(separator: ".").last.map(String.init) ?? name
        var treatment = VolatileNames.treatment(of: leaf)
        var text = value.string ?? JSONWriter.text(of: value)
        var elements: [String] = []
        switch value {
        case .object(let object) where depth < Self.depth:
            list.add(
                place,
                "{…}",
                .presence,
                token: token,
                type: "object",
                presence: isOptional ? .note : .difference
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
            return
        case .array(let array) where array.allSatisfy(Self.isScalar):
            elements = array.prefix(Self.elements).map { $0.string ?? JSONWriter.text(of: $0) }
            treatment = elements.count == 1 && leaf == "aud" ? .value : .set
            text = elements.joined(separator: " ")
        case .array(let array):
            list.add(
                place,
                "\(array.count) elements",
                .presence,
                token: token,
                type: "array",
                presence: isOptional ? .note : .difference
            )
            return
        case .string where treatment == .set: elements = Words.of(text)
        // Some name the scopes there.
        case .string where leaf == "aud" && text.utf8.contains(0x20):
            treatment = .set
            elements = Words.of(text)
        case .string where treatment == .value && RecordedURL(text).isWeb && leaf != "iss": treatment = .url
        default: break
        }
        let isRemark = treatment == .remark
        list.add(
            place,
            text,
            treatment,
            token: token,
            type: value.typeName,
            elements: elements,
            presence: isOptional || isRemark ? .note : .difference,
            weight: isOptional || isRemark ? .note : .difference,
            isSecret: isSecret
        )
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

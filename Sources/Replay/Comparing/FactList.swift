import Captures

/// Collects the facts of one side of a step, numbering those that are told twice.
struct FactList {
    private(set) var facts: [Fact] = []
    private var counts: [Fact.Key: Int] = [:]

    /// A hostile answer has a million members; what is behind these is not compared.
    private static let limit = 600

    mutating func add(
        _ place: Place,
        _ value: String,
        _ treatment: Fact.Treatment,
        called name: String? = nil,
        token: String = "",
        aspect: String = "",
        in part: Place.Part? = nil,
        type: String? = nil,
        elements: [String] = [],
        presence: DifferenceWeight? = .difference,
        weight: DifferenceWeight = .difference,
        isSecret: Bool = false
    ) {
        guard facts.count < Self.limit else { return }
        var key = Fact.Key(
            part: part ?? place.part,
            token: token,
            name: name ?? place.name,
            aspect: aspect,
            number: 0
        )
        let number = counts[key, default: 0]
        counts[key] = number + 1
        key.number = number
        facts.append(
            Fact(
                key: key,
                place: place,
                value: value,
                elements: elements,
                type: type,
                treatment: treatment,
                presence: presence,
                weight: weight,
                isSecret: isSecret
            )
        )
    }
}

/// Words between spaces.
enum Words {
    static func of(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}

import Captures

/// Collects the facts of one side of a step, numbering those that are told twice.
struct FactList {
    private(set) var facts: [Fact] = []
    private var counts: [Fact.Key: Int] = [:]

    /// A hostile answer has a million members; what is behind these is not compared.
    private static let limit = 600

    /// What a fact is called beside those of its place.
    struct Label {
        /// Nil for the name of the place.
        var name: String?
        /// The token it is inside; empty for facts of the message.
        var token = ""
        /// What of it is told; empty for the value itself.
        var aspect = ""
        /// Nil for the part of the place.
        var part: Place.Part?
    }

    /// What is compared, and how.
    struct Content {
        var value: String
        var treatment: Fact.Treatment
        /// `string`, `number`, …; nil for what has no types.
        var type: String?
        /// What a set consists of.
        var elements: [String]
        /// Never shown in full, whatever its name says.
        var isSecret: Bool

        init(
            _ value: String,
            _ treatment: Fact.Treatment,
            type: String? = nil,
            elements: [String] = [],
            isSecret: Bool = false
        ) {
            self.value = value
            self.treatment = treatment
            self.type = type
            self.elements = elements
            self.isSecret = isSecret
        }
    }

    /// How much a difference says.
    struct Weights {
        /// That one flow has it and the other has not; nil where something else tells it.
        var presence: DifferenceWeight? = .difference
        /// That the values are not equal.
        var value: DifferenceWeight = .difference

        /// Whether it is there is told by something else.
        static let valueAlone = Weights(presence: nil)
    }

    mutating func add(
        _ place: Place,
        _ content: Content,
        as label: Label = Label(),
        weighing weights: Weights = Weights()
    ) {
        guard facts.count < Self.limit else { return }
        var key = Fact.Key(
            part: label.part ?? place.part,
            token: label.token,
            name: label.name ?? place.name,
            aspect: label.aspect,
            number: 0
        )
        let number = counts[key, default: 0]
        counts[key] = number + 1
        key.number = number
        facts.append(
            Fact(
                key: key,
                place: place,
                value: content.value,
                elements: content.elements,
                type: content.type,
                treatment: content.treatment,
                presence: weights.presence,
                weight: weights.value,
                isSecret: content.isSecret
            )
        )
    }
}

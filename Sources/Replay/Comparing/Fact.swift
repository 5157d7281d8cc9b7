import Captures

/// One thing that can be said of a step, and how it compares with what can be said of another.
struct Fact {
    /// What makes two facts the same one.
    struct Key: Hashable {
        var part: Place.Part
        /// The token it is inside; empty for facts of the message.
        var token: String
        /// What another run has anew replaced by a mark: names of cookies carry states.
        var name: String
        var aspect: String
        /// Counts those that are equal otherwise, from zero.
        var number: Int

        /// The name of a member without those of the objects that it is inside of.
        var leaf: String { name.split(separator: ".").last.map(String.init) ?? name }
    }

    /// How two values of it compare.
    enum Treatment: Equatable {
        /// Equal, unless it was made for its flow: then alike.
        case value
        /// Made for its flow, by its name.
        case volatile
        /// The same words or elements in any order.
        case set
        /// A URL: as ``value``, after mapping.
        case url
        /// A moment: both are one.
        case time
        /// Seconds that are counted down: about equal.
        case span
        /// Seconds between two clocks: about equal.
        case clock
        /// Worked out from the message: equal.
        case verdict
        /// There or not.
        case presence
        /// Equal, and only worth knowing.
        case remark
    }

    var key: Key
    /// Where it stands; with the name as it was sent.
    var place: Place
    /// What is compared.
    var value: String
    /// What a set consists of.
    var elements: [String] = []
    /// `string`, `number`, …; nil for what has no types.
    var type: String?
    var treatment: Treatment
    /// How much it says that one flow has this and the other has not; nil where something else tells it.
    var presence: DifferenceWeight? = .difference
    /// How much it says that the values are not equal.
    var weight: DifferenceWeight = .difference
    /// Never shown in full, whatever its name says.
    var isSecret = false
    /// Which earlier value of its flow it repeats, or ought to.
    var relation: Relation = .first

    /// How a value stands to the earlier ones of its family.
    enum Relation: Equatable {
        /// There is no earlier one.
        case first
        /// It is the value of these steps, of which there are several where one was issued once more as it was.
        case repeats(String, of: [String])
        /// There are earlier ones, and it is none of them; the latest.
        case differs(from: String, of: String)
        /// It is what a parameter of the same name was in this kind of step: told there, where it differs.
        case echoes(of: String)
    }
}

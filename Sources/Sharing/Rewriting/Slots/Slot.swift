/// A value inside a text, with the name under which it stands.
///
/// A large document has millions of them: what is small stands together.
struct Slot {
    /// Decoded; of an element of a list the name of the list.
    var name: String
    /// Of the value as it stands, without quotes.
    var range: Range<Int>
    /// In which the value is written; nil as it is.
    var coding: TextCoding?
    /// Of the decoded value; nil has to be guessed.
    var kind: TextKind?
    /// A number in JSON: digits only may stand there.
    var isNumber = false
    /// The `id` of a document's own object, or of one that says what somebody is called.
    var isOwnID = false
    /// Of an object that says of itself that it is a person: `{"type": "customers", "id": "…"}`.
    var isOfPerson = false
    /// It stands within the `variables` of a query.
    var isVariable = false
    /// base64 stands around the value (Basic credentials).
    var isBase64 = false
    /// Numbers of a list that are the bytes of the value.
    var isByteList = false
    /// Of the object of JSON that the value is a member of, its beginning; of a variable of a query that of the query's object.
    var object = 0
    /// Of what stands within an object that is a variable of a query: what that is called.
    var variable: String?
    /// Of a text with the variables of a query: what they are given to.
    var arguments: GraphQLVariables.Arguments = [:]
}

/// The way of a value: the place where it was made and every later one that carries it.
package struct Link: Sendable {
    /// Of the parameter at the origin.
    package var name: String
    /// Where it was made.
    package var origin: Occurrence
    /// In the order of time.
    package var uses: [Occurrence]
    /// The same of all uses.
    package var transform: Transform
}

/// Why the thread of a connection is lost, where decoders of several versions say so.
enum LossReason {
    static let noRoom = "the limit of what is recorded at a time is reached"
    static let tooManyHeads = "more heads without an end than are followed"
}

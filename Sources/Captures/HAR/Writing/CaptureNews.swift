/// What becomes of a capture's file while it is recorded into, for whoever has to be told.
package enum CaptureNews: Sendable, Equatable {
    /// Entries cannot be written, in the system's words; they wait in memory.
    case stuck(path: String, reason: String)
    /// A write has not come back for so long, and whoever writes waits with it.
    case stalls(path: String, time: Duration)
    /// It has, after so long at least.
    case cameBack(path: String, time: Duration)
    /// There is no more room for them in memory either.
    case losing(path: String)
    /// All is written again; so many entries waited until then, and so many are lost.
    case goesOn(path: String, waited: Int, lost: Int)
    /// The file had lost its name, or the name its file: all entries stand in this one now.
    case copied(path: String, why: CaptureWriter.Whereabouts, to: String)
    /// The file was deleted or replaced, and its entries cannot be put anywhere yet.
    case adrift(path: String, why: CaptureWriter.Whereabouts, reason: String)
    /// Another program wrote into the file, which has so many entries less; what comes from now on stands in this one.
    case begunAnew(path: String, at: String, lost: Int)
}

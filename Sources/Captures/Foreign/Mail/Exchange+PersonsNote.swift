import JSON

extension Exchange {
    /// Keeps what somebody noted beside it in another program; nothing where that is empty.
    ///
    /// It is HAR's `comment` (section "entries"), but for an exchange without an answer: there Charles and Fiddler tell in that member why
    /// there is none, and so it is read (see ``Producers/failure(of:response:)``).
    mutating func keep(note: String?) {
        guard let note, !note.isEmpty else { return }
        let isReason = failure == nil && (response == nil || request.method == "CONNECT")
        foreign[isReason ? "_comment" : "comment"] = .string(note)
    }
}

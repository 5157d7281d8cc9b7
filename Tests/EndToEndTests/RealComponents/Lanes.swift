/// Lets so many in at a time; the others wait for their turn, without a thread.
actor Lanes {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func inTurn(_ body: @Sendable () async throws -> Void) async rethrows {
        await enter()
        defer { leave() }
        try await body()
    }

    private func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Whoever waits first takes the place over.
    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

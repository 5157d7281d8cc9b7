import Captures
import Flows
import OAuth

/// What the app and its server ask, and when.
extension Drive {
    /// Nobody is there to enter the code, if not by then.
    static let longestPolling = Duration.seconds(120)

    /// Seconds between polls as a server wishes, five where it says nothing: some time, and no more than is waited at all.
    static func pollInterval(_ wish: Int64?) -> Int64 {
        max(1, min(wish ?? 5, longestPolling.components.seconds))
    }

    mutating func wait(before index: Int) async throws {
        let step = plan.steps[index]
        guard var pause = step.wait else { return }
        if isPoll(step) {
            // The live server says how often it may be asked; a recorded device that asked too often does so again.
            let isHasty = pause < .seconds(pollInterval) && !isRefusedAsTooFast(step.exchange)
            pause = isHasty ? pause : min(pause, .seconds(pollInterval))
        }
        pause = min(pause, options.longestWait)
        environment.tell(.waiting(pause, before: index))
        try await environment.sleep(pause)
    }

    func isPoll(_ step: PlannedStep) -> Bool {
        step.kind == .tokenRequest && step.parameters.contains { PlannedStep.pollNames.contains($0.name) }
    }

    func isRefusedAsTooFast(_ exchange: Int) -> Bool {
        Answer(of: capture[exchange], at: exchange).error?.error == "slow_down"
    }

    // MARK: - Calls of the app and its server

    mutating func call(_ index: Int) async throws {
        let step = plan.steps[index]
        var live = try await send(index)
        if let error = Answer(of: exchanges[live], at: live).error?.error {
            let recorded = Answer(of: capture[step.exchange], at: step.exchange)
            if error == "use_dpop_nonce", recorded.error?.error != error || options.adjustments.usesProofNonce
            {
                // The recorded client knew the nonce from before (RFC 9449, section 8).
                composer.useProofNonce()
                live = try await send(index)
            } else if error == "authorization_pending" || error == "slow_down", recorded.isSuccess {
                live = try await poll(index, after: error)
            }
        } else if exchanges[live].response.map({ $0.status < 500 && $0.status != 429 }) ?? false,
            let next = repeated(index)
        {
            // The recording needed another try where this run was answered at once.
            results[index] = .notNeeded
            results[next] = .sent(live)
            learn(from: live, recorded: plan.steps[next].exchange)
        }
    }

    /// The recorded repetition of a call that was put off (a DPoP nonce wanted, a device not confirmed yet, a server that
    /// failed for a moment); the last one.
    func repeated(_ index: Int) -> Int? {
        let step = plan.steps[index]
        let put = ["use_dpop_nonce", "authorization_pending", "slow_down"]
        func isPutOff(_ exchange: Int) -> Bool {
            guard let response = capture[exchange].response, response.status != 429, response.status < 500
            else {
                return true
            }
            return Answer(of: capture[exchange], at: exchange).error.map { put.contains($0.error) } ?? false
        }
        guard isPutOff(step.exchange) else { return nil }
        let url = capture[step.exchange].request.url.withoutQuery
        var last: Int?
        for later in plan.steps.indices.dropFirst(index + 1) {
            let other = plan.steps[later]
            guard other.kind == step.kind, capture[other.exchange].request.url.withoutQuery == url,
                SameCall.isOne(capture[step.exchange].request, capture[other.exchange].request)
            else { continue }
            last = later
            if !isPutOff(other.exchange) { break }
        }
        return last
    }

    /// Goes on asking until the device is confirmed, or its code has run out.
    mutating func poll(_ index: Int, after first: String) async throws -> Int {
        var error: String? = first
        var waited: Duration = .zero
        var live = exchanges.count - 1
        while let reason = error, reason == "authorization_pending" || reason == "slow_down",
            waited < min(options.longestWait, Self.longestPolling)
        {
            // Section 3.5: five seconds more each time.
            if reason == "slow_down" { pollInterval = Self.pollInterval(pollInterval + 5) }
            let pause = Duration.seconds(pollInterval)
            environment.tell(.waiting(pause, before: index))
            try await environment.sleep(pause)
            waited += pause
            live = try await send(index)
            error = Answer(of: exchanges[live], at: live).error?.error
        }
        return live
    }
}

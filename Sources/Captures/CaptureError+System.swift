extension CaptureError {
    /// Reading or writing failed, in the system's words for a number (`errno`).
    package static func inputOutput(path: String, number: Int32) -> CaptureError {
        .inputOutput(path: path, reason: number.systemReason)
    }
}

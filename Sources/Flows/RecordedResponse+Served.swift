import Captures

extension RecordedResponse {
    /// Whether what was asked for was to be had: a status of success, or 304 for what the browser has already (RFC 9110, section
    /// 15.4.5).
    var isServed: Bool { isSuccessful || status == 304 }
}

import Captures
import JSON
import Reports
import TestSupport
import Testing

/// Names in a JSON object are there once (RFC 8259, section 4); parameters of a request may not be.
struct RepeatedParametersTests {
    @Test func eachIsShownAndNoneTwiceInAnObject() throws {
        let name = "captures/authorization-request/parameter-repeated.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let text = JSONReport.timeline(of: ReportBuilder.report(on: capture, named: name))
        let steps = try JSONParser.parse(text.utf8)["flows"]?.array?.first?["steps"]?.array ?? []
        let repeated = steps.compactMap { $0["repeated_parameters"]?.object }
        #expect(!repeated.isEmpty)
        for step in steps {
            let names = step["parameters"]?.object?.members.map(\.name) ?? []
            #expect(names.count == Set(names).count)
        }
        for values in repeated.flatMap(\.members) { #expect(values.value.array?.count ?? 0 > 1) }
    }
}

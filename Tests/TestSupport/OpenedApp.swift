package import Captures
import Foundation

/// A login whose provider opens the app by an answer of its own, in the place of a redirect.
package struct OpenedApp {
    package let capture: Capture
    /// Where the answer leads to.
    package let target: String

    /// A healthy login of an app with a scheme of its own.
    ///
    /// `answer`: what stands in the place of the redirect, with `TARGET` where that led to and `ESCAPED` for the same in HTML.
    package init(by answer: String, _ mediaType: String = "text/html") throws {
        let name = "captures/healthy/native-app.har"
        let recorded = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        var exchanges = recorded.indices.map { recorded[$0] }
        guard let last = exchanges.firstIndex(where: { $0.response?.location?.hasPrefix("http") == false }),
            let target = exchanges[last].response?.location
        else { throw CocoaError(.fileReadCorruptFile) }
        exchanges[last].response?.status = 200
        exchanges[last].response?.redirectURL = ""
        exchanges[last].response?.headers.fields.removeAll { $0.name.lowercased() == "location" }
        let text = answer.replacing("ESCAPED", with: HTMLText.escaped(target)).replacing(
            "TARGET",
            with: target
        )
        exchanges[last].response?.body = Body(text: text, mediaType: mediaType)
        capture = Capture(exchanges)
        self.target = target
    }
}

import Captures
import Testing

struct PartitionPointTests {
    @Test(arguments: 0...9)
    func firstElementThatMeetsTheConditionIsFound(count: Int) {
        for place in 0...count {
            let numbers = Array(0..<count)
            #expect(numbers.partitionPoint { $0 >= place } == place)
        }
    }

    @Test func sliceKeepsItsIndices() {
        let numbers = [9, 9, 1, 3, 3, 5]
        #expect(numbers[2...].partitionPoint { $0 > 3 } == 5)
        #expect(numbers[2...].partitionPoint { $0 > 7 } == 6)
    }
}

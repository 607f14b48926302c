"""What comes from outside, checked: values, JSON, files, boxes, requests for memory."""
